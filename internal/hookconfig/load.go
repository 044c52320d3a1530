// Package hookconfig finds, reads, judges and tries the shell hooks that a team has
// for Claude Code or Codex, for the commands that need them.
//
//	Source ──Load──► Sets, one for each client ──Check──► Findings
//	                        │                  ──Summary──► lines for a human
//	                        └──Fire──► Report of one event
//
// What a file registers, and what the client does with it, is the business of
// the packages below hookproto; that its loading is not silent is the business
// of this one.
package hookconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dsh-lua/dsh/hookproto"
	"github.com/dsh-lua/dsh/hookproto/claudecode"
	"github.com/dsh-lua/dsh/hookproto/codex"
)

// A Source says where hooks come from: files that somebody names, a project
// whose clients' own places are looked into, or both.
type Source struct {
	Files []string
	// Project is the root folder of the project; "" looks into no client's places.
	// Dir is the working directory of the session, at or below it.
	Project, Dir string
	// Root is the project that hooks of named files belong to; "" is Project.
	Root string
	// Dialect keeps to one client: "claude-code" or "codex". "" is both, and named
	// files tell by themselves whose they are.
	Dialect string
	// Lenient keeps what is good of a file that its client refuses whole.
	Lenient bool
	System  System
}

// A System is the machine as loaders see it.
type System struct {
	Getenv func(string) string
	Home   string // of the user; "" has no configuration
	Etc    string // the folder of administrators
}

// Host is the machine that this process runs on.
func Host() System {
	home, _ := os.UserHomeDir() // none is told by its absence
	return System{Getenv: os.Getenv, Home: home, Etc: "/etc"}
}

// managed is where an administrator configures Claude Code.
func (s System) managed() string {
	if runtime.GOOS == "darwin" {
		return "/Library/Application Support/ClaudeCode"
	}
	if s.Etc == "" {
		return ""
	}
	return filepath.Join(s.Etc, "claude-code")
}

func (s System) folder(variable, name string) string {
	if dir := s.Getenv(variable); dir != "" {
		return dir
	}
	if s.Home == "" {
		return ""
	}
	return filepath.Join(s.Home, name)
}

// A File is one that was read.
type File struct {
	Path  string `json:"path"`
	Layer string `json:"layer"` // in the client's words; "named" if somebody named it
	Hooks int    `json:"hooks"` // of it that run
	// Plugin is the folder of the plugin that the file belongs to.
	Plugin string `json:"plugin,omitempty"`
}

// A Set is what one session has of one client's hooks.
type Set struct {
	Dialect string
	// Why tells by what the named files were recognised, in their order.
	Why    []string
	Files  []File
	Config hookproto.Config
	Root   string // of the project
	Named  bool   // somebody named the files, which is to trust them
	Took   time.Duration
}

// Protocol is the set's dialect.
func (s Set) Protocol() hookproto.Dialect {
	if s.Dialect == Codex {
		return codex.Dialect{}
	}
	return claudecode.Dialect{}
}

// The dialects.
const (
	ClaudeCode = "claude-code"
	Codex      = "codex"
)

// Dialects lists the names of all dialects.
func Dialects() []string { return []string{ClaudeCode, Codex} }

// Load reads the hooks of a source: at most one set of each client of what is
// named, and of what is found. Sets without a file are left out. The error is
// about files that cannot be read; what is wrong inside of them is told by the
// sets.
func Load(s Source) ([]Set, error) {
	var (
		sets []Set
		errs []error
	)
	named, again, err := s.named()
	errs = append(errs, err)
	for _, dialect := range Dialects() {
		if files := named[dialect]; len(files) > 0 {
			sets = append(sets, s.read(dialect, files, true))
		}
	}
	if len(sets) > 0 {
		sets[0].Config.Problems = append(again, sets[0].Config.Problems...)
	}
	if s.Project != "" {
		for _, dialect := range Dialects() {
			if s.Dialect != "" && s.Dialect != dialect {
				continue
			}
			files, problems, err := s.discover(dialect)
			if err != nil {
				errs = append(errs, err)
			}
			if len(files) > 0 {
				set := s.read(dialect, files, false)
				set.Config.Problems = append(set.Config.Problems, problems...)
				sets = append(sets, set)
			}
		}
	}
	return sets, errors.Join(errs...)
}

// A found file is one of either dialect, read.
type found struct {
	path   string
	data   []byte
	layer  string
	env    []string
	why    string
	claude claudecode.File
	codex  codex.File
}

// named reads the files that somebody named, each once however it is written.
func (s Source) named() (files map[string][]found, again []hookproto.Problem, err error) {
	files = map[string][]found{}
	seen := map[string]string{}
	var errs []error
	for _, path := range s.Files {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			real, err = filepath.Abs(real)
		}
		if err != nil {
			errs = append(errs, unreadable(path, err))
			continue
		}
		if first, twice := seen[real]; twice {
			again = append(again, hookproto.Problem{
				At: hookproto.Place{File: path}, Severity: hookproto.FieldIgnored, Kind: "duplicate-file",
				Text: "the same file as " + first + "; it is read once",
			})
			continue
		}
		seen[real] = path
		f, err := s.open(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		files[f.layer] = append(files[f.layer], f)
	}
	return files, again, errors.Join(errs...)
}

// unreadable is err about a file, by the name that somebody gave it: links may lead
// elsewhere, or nowhere.
func unreadable(path string, err error) error {
	if at := new(fs.PathError); errors.As(err, &at) {
		if at.Path == path {
			return err
		}
		return fmt.Errorf("%s: %s: %w", path, at.Path, at.Err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// open reads a named file; its layer is the dialect.
func (s Source) open(path string) (found, error) {
	data, err := readFile(path)
	if err != nil {
		return found{}, err
	}
	f := found{path: path, data: data, layer: s.Dialect, why: "as told"}
	if s.Dialect == "" {
		f.layer, f.why = Detect(path, data)
	}
	if f.layer == Codex {
		format := codex.JSON
		if strings.EqualFold(filepath.Ext(path), ".toml") {
			format = codex.TOML
		}
		f.codex = codex.File{Path: path, Data: data, Source: codex.User, Format: format}
		return f, nil
	}
	f.claude = claudecode.File{Path: path, Data: data, Layer: claudecode.Flag}
	if root := pluginRoot(path); root != "" {
		f.claude.Layer, f.claude.Env = claudecode.Plugin, []string{"CLAUDE_PLUGIN_ROOT=" + root}
		f.env = f.claude.Env
	}
	return f, nil
}

// maxSize bounds a configuration file, in bytes.
const maxSize = 16 << 20

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // to open a pipe would wait for ever
		return nil, fmt.Errorf("%s: is no file", path)
	case info.Size() > maxSize:
		return nil, fmt.Errorf("%s: is %d bytes long; a configuration may have %d", path, info.Size(), maxSize)
	}
	return os.ReadFile(path)
}

// pluginRoot is the folder of the plugin whose file this is, by where it lies.
func pluginRoot(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	folder := filepath.Dir(path)
	root := filepath.Dir(folder)
	switch {
	case filepath.Base(folder) == "hooks" && filepath.Base(path) == "hooks.json" && filepath.Base(root) != ".claude",
		filepath.Base(folder) == ".claude-plugin":
		return root
	}
	return ""
}

// discover reads the files of a client where it has them.
func (s Source) discover(dialect string) ([]found, []hookproto.Problem, error) {
	var out []found
	if dialect == ClaudeCode {
		files, problems, err := claudecode.Discover(claudecode.Places{
			Home: s.System.folder("CLAUDE_CONFIG_DIR", ".claude"), Project: s.Project, Managed: s.System.managed(),
			Read: readFile, List: list,
		})
		for _, f := range files {
			out = append(out, found{path: f.Path, data: f.Data, layer: string(f.Layer), env: f.Env, claude: f})
		}
		return out, problems, err
	}
	files, problems, err := codex.Discover(s.codexPlaces())
	for _, f := range files {
		out = append(out, found{path: f.Path, data: f.Data, layer: string(f.Source), env: f.Env, codex: f})
	}
	return out, problems, err
}

func (s Source) codexPlaces() codex.Places {
	p := codex.Places{Home: s.System.folder("CODEX_HOME", ".codex"), Root: findRoot(s.dir()), Dir: s.dir(), Read: readFile, Folders: folders}
	if s.System.Etc != "" {
		p.Etc = filepath.Join(s.System.Etc, "codex")
	}
	return p
}

// dir is the working directory of the session.
func (s Source) dir() string {
	if s.Dir == "" {
		return s.Project
	}
	return s.Dir
}

// findRoot is the root of a project as Codex sees it: the nearest folder from
// dir upwards with .git, else dir.
func findRoot(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); !errors.Is(err, fs.ErrNotExist) {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

func list(folder string) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// folders lists the folders in a folder; links to folders are none.
func folders(folder string) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// read loads files of one dialect.
func (s Source) read(dialect string, files []found, named bool) Set {
	began := time.Now()
	set := Set{Dialect: dialect, Named: named, Root: s.Project}
	if set.Root == "" {
		set.Root = s.Root
	}
	if dialect == Codex {
		set.Config = s.loadCodex(files, named)
	} else {
		var all []claudecode.File
		for _, f := range files {
			all = append(all, f.claude)
		}
		set.Config = claudecode.Load(all, claudecode.Options{Lenient: s.Lenient})
	}
	set.disabled(files)
	for _, f := range files {
		set.Files = append(set.Files, file(f, named, set.Config))
		if named {
			set.Why = append(set.Why, f.why)
			set.hookless(f.path)
		}
	}
	set.Took = time.Since(began)
	return set
}

// hookless tells of a file that has no hooks, if nothing else was told of it.
func (s *Set) hookless(path string) {
	here := func(at hookproto.Place) bool { return at.File == path }
	if !slices.ContainsFunc(s.Config.Handlers, func(h hookproto.Handler) bool { return here(h.At) }) &&
		!slices.ContainsFunc(s.Config.Problems, func(p hookproto.Problem) bool { return here(p.At) }) {
		s.Config.Problems = append(s.Config.Problems, hookproto.Problem{
			At: hookproto.Place{File: path}, Severity: hookproto.FieldIgnored, Kind: "empty", Text: "there is no hook in it",
		})
	}
}

func (s Source) loadCodex(files []found, named bool) hookproto.Config {
	var all []codex.File
	for _, f := range files {
		all = append(all, f.codex)
	}
	o := codex.Options{Lenient: s.Lenient, TrustAll: named}
	if !named {
		o.ProjectRoot = findRoot(s.dir())
	}
	return codex.Load(all, o).Runnable(o)
}

// disabled tells of a switch that takes all hooks away, at the file with it.
func (s *Set) disabled(files []found) {
	if !s.Config.Disabled {
		return
	}
	text, word := "disableAllHooks is on: no hook but an administrator's runs", "disableAllHooks"
	if s.Dialect == Codex {
		text, word = "the feature hooks is switched off: no hook runs", "hooks"
	}
	at := hookproto.Place{}
	for _, f := range files {
		if line := lineOf(f.data, word); line > 0 && (at.File == "" || s.Dialect == ClaudeCode) {
			at = hookproto.Place{File: f.path, Line: line}
		}
	}
	s.Config.Problems = append(s.Config.Problems, hookproto.Problem{At: at, Severity: hookproto.FileDropped, Kind: "disabled", Text: text})
}

// lineOf is the first line that has word; 0 if none has.
func lineOf(data []byte, word string) int {
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		if strings.Contains(line, word) {
			return n
		}
	}
	return 0
}

func file(f found, named bool, c hookproto.Config) File {
	out := File{Path: f.path, Layer: f.layer}
	if named {
		out.Layer = "named"
	}
	for _, pair := range f.env {
		if root, is := strings.CutPrefix(pair, "CLAUDE_PLUGIN_ROOT="); is {
			out.Plugin = root
		}
	}
	for _, h := range c.Handlers {
		if h.At.File == f.path && h.NotRun == "" {
			out.Hooks++
		}
	}
	return out
}

// Registered returns the handlers that run.
func (s Set) Registered() []hookproto.Handler {
	return slices.DeleteFunc(slices.Clone(s.Config.Handlers), func(h hookproto.Handler) bool { return h.NotRun != "" })
}

// Dropped reports whether nothing of one of the files is loaded.
func (s Set) Dropped() bool {
	return slices.ContainsFunc(s.Config.Problems, func(p hookproto.Problem) bool {
		return p.Severity == hookproto.FileDropped && p.Kind != "disabled" && p.Kind != "untrusted"
	})
}
