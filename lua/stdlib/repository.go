package stdlib

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/dsh-lua/dsh/runtime/links"
)

const (
	maxGitFile   = 256 << 10 // of a file of a repository
	maxPacked    = 16 << 20  // of packed-refs
	maxSymbolic  = 5         // refs that name another ref, in a row
	maxAncestors = 256       // folders that are searched for a repository
)

// A repository is where the files of one are.
type repository struct {
	files  fs.FS
	root   string // of the working tree
	dir    string // of this working tree's own files
	common string // of the shared ones
	linked bool   // .git is a file that says where
	read   int    // bytes
}

// findRepository returns the repository that a folder is in, nil if there is none.
func findRepository(files fs.FS, folder string) (*repository, error) {
	for range maxAncestors {
		at := path.Join(folder, ".git")
		info, err := fs.Stat(files, links.InFS(at))
		switch {
		case err == nil && info.IsDir():
			return openRepository(files, folder, at, false)
		case err == nil && info.Mode().IsRegular():
			r := repository{files: files}
			text, err := r.file(at, maxGitFile)
			if err != nil {
				return nil, err
			}
			dir, ok := strings.CutPrefix(strings.TrimSpace(text), "gitdir:")
			if !ok {
				return nil, fmt.Errorf("%s says no gitdir", at)
			}
			return openRepository(files, folder, from(folder, strings.TrimSpace(dir)), true)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
		if folder == "/" {
			return nil, nil
		}
		folder = path.Dir(folder)
	}
	return nil, nil
}

func openRepository(files fs.FS, root, dir string, linked bool) (*repository, error) {
	r := &repository{files: files, root: root, dir: dir, common: dir, linked: linked}
	if _, err := r.file(path.Join(dir, "HEAD"), maxGitFile); err != nil {
		return nil, err
	}
	if text, err := r.file(path.Join(dir, "commondir"), maxGitFile); err == nil {
		r.common = from(dir, strings.TrimSpace(text))
	}
	return r, nil
}

// from is the place of a path that is written in a file of folder.
func from(folder, p string) string {
	if path.IsAbs(p) {
		return path.Clean(p)
	}
	return path.Join(folder, p)
}

func (r *repository) worktree() bool { return r.common != r.dir }

func (r *repository) submodule() bool { return r.linked && !r.worktree() }

// file reads a file of at most limit bytes. Only what is a file is opened: a pipe
// would keep whoever opens it waiting.
func (r *repository) file(name string, limit int64) (string, error) {
	info, err := fs.Stat(r.files, links.InFS(name))
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return "", fmt.Errorf("%s is no file of at most %d bytes", name, limit)
	}
	f, err := r.files.Open(links.InFS(name))
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // nothing was written
	text, err := io.ReadAll(io.LimitReader(f, limit))
	r.read += len(text)
	return string(text), err
}

// repositoryFacts are what a script is told; what is empty is not known.
type repositoryFacts struct {
	branch, head, upstream, defaultBranch string
	remotes                               map[string]remote
	read                                  int
}

type remote struct{ url, pushURL string }

const (
	branches = "refs/heads/"
	trackers = "refs/remotes/"
)

func (r *repository) facts() (f repositoryFacts) {
	config := r.config()
	head, _ := r.file(path.Join(r.dir, "HEAD"), maxGitFile)
	head = strings.TrimSpace(head)
	if ref, ok := strings.CutPrefix(head, "ref:"); ok {
		ref = strings.TrimSpace(ref)
		f.branch, _ = strings.CutPrefix(ref, branches)
		f.head = r.follow(ref)
	} else if isCommit(head) {
		f.head = head
	}
	if config["extensions.refstorage"] != "" && config["extensions.refstorage"] != "files" {
		f.branch, f.head = "", "" // HEAD is a stand-in, the refs are in another format
	}
	if merge := config["branch."+f.branch+".merge"]; f.branch != "" && merge != "" {
		f.upstream = config["branch."+f.branch+".remote"] + "/" + strings.TrimPrefix(merge, branches)
	}
	origin, _ := r.file(path.Join(r.common, trackers+"origin/HEAD"), maxGitFile)
	if ref, ok := strings.CutPrefix(strings.TrimSpace(origin), "ref: "+trackers+"origin/"); ok {
		f.defaultBranch = ref
	}
	f.remotes = remotesOf(config)
	f.read = r.read
	return f
}

func remotesOf(config map[string]string) map[string]remote {
	remotes := map[string]remote{}
	for key, text := range config {
		name, ok := strings.CutPrefix(key, "remote.")
		at := strings.LastIndexByte(name, '.')
		if !ok || at <= 0 {
			continue
		}
		rest := remotes[name[:at]]
		switch name[at+1:] {
		case "url":
			rest.url = text
		case "pushurl":
			rest.pushURL = text
		default:
			continue
		}
		remotes[name[:at]] = rest
	}
	return remotes
}

// refPlaces are where a short name is looked for, in git's order.
var refPlaces = []string{"", "refs/", "refs/tags/", branches, trackers}

// resolve returns the commit that a ref names. A tag object stands for itself: what
// it points at is not among the files that are read.
func (r *repository) resolve(name string) string {
	if isCommit(name) {
		return name
	}
	if !isRefName(name) {
		return ""
	}
	for _, place := range refPlaces {
		if commit := r.follow(place + name); commit != "" {
			return commit
		}
	}
	return ""
}

// isRefName refuses what would lead out of the repository.
func isRefName(name string) bool {
	return name != "" && len(name) < maxVersion && !strings.Contains(name, "..") && !strings.HasPrefix(name, "/") &&
		!strings.ContainsAny(name, "\x00 \t\r\n\\~^:?*[") && fs.ValidPath(name)
}

// follow returns the commit of a full ref.
func (r *repository) follow(ref string) string {
	for range maxSymbolic {
		if !isRefName(ref) {
			return ""
		}
		text := r.loose(ref)
		if text == "" {
			return r.packed(ref)
		}
		next, symbolic := strings.CutPrefix(text, "ref:")
		switch {
		case symbolic:
			ref = strings.TrimSpace(next)
		case isCommit(text):
			return text
		default:
			return ""
		}
	}
	return ""
}

// loose returns what the file of a ref holds: the working tree's own first.
func (r *repository) loose(ref string) string {
	for _, dir := range []string{r.dir, r.common} {
		if text, err := r.file(path.Join(dir, ref), maxGitFile); err == nil {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

func (r *repository) packed(ref string) string {
	text, err := r.file(path.Join(r.common, "packed-refs"), maxPacked)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(text) {
		commit, name, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && name == ref && isCommit(commit) {
			return commit
		}
	}
	return ""
}

// isCommit reports whether text is a full name of an object, SHA-1 or SHA-256.
func isCommit(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}

// config reads the repository's own configuration.
func (r *repository) config() map[string]string {
	text, err := r.file(path.Join(r.common, "config"), maxGitFile)
	if err != nil {
		return nil
	}
	return parseGitConfig(text)
}
