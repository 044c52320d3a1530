// Package external finds the programs that dsh is made of beside itself, and puts
// them in its place.
//
// They are separate so that the program that an agent starts at every call stays
// small: what runs the agent uses the network, and the commands of authors and
// builders carry parsers and printers that no hook needs.
package external

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/dsh-lua/dsh/cmd/internal/console"
)

// A Program is one of them.
type Program struct {
	Name  string // of its file, without .exe
	Build string // the command that builds it, in the sources
}

// The programs.
var (
	Agent = Program{"dsh-agent", "go build ./cmd/dsh-agent"}
	Full  = Program{"dsh-full", "go build -o dsh-full ./cmd/dsh"}
)

// StartVariable names the environment variable in which one program tells the next
// what it takes it for, by its name and its own version. Policies that one version
// tested and another decides by would be a surprise, and programs that take each
// other for a third would start each other for ever.
const StartVariable = "DSH_STARTED_AS"

// Mismatch is what is wrong if the program that put this one in its place takes it
// for another one than name, or is of another version. What this one starts later is
// not asked.
func Mismatch(name string) error {
	taken, by, started := strings.Cut(os.Getenv(StartVariable), " ")
	if err := os.Unsetenv(StartVariable); err != nil {
		return err
	}
	switch {
	case !started:
		return nil
	case taken != name:
		return fmt.Errorf("what dsh finds as %s is %s", taken, name)
	case by != console.Version():
		return fmt.Errorf("dsh is %s, but what it runs is %s: install both from one build", by, console.Version())
	}
	return nil
}

// Run puts the program in the place of this one, with the given arguments, the
// first of which names the command that needs it. It returns if that fails, or,
// where one program cannot replace another, the program's exit status.
func (p Program) Run(args []string) (status int, err error) {
	path, err := p.find(args[0], os.Executable, exec.LookPath)
	if err != nil {
		return 0, err
	}
	if err := os.Setenv(StartVariable, p.Name+" "+console.Version()); err != nil {
		return 0, err
	}
	return execute(path, append([]string{p.Name}, args...))
}

// find returns the path of the program: beside this one, else where look finds it.
func (p Program) find(command string, executable func() (string, error), look func(string) (string, error)) (string, error) {
	file := p.Name
	if runtime.GOOS == "windows" {
		file += ".exe"
	}
	if self, err := executable(); err == nil {
		for _, path := range []string{self, resolved(self)} {
			beside := filepath.Join(filepath.Dir(path), file)
			if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
				return beside, nil
			}
		}
	}
	path, err := look(p.Name)
	if err != nil {
		return "", fmt.Errorf("%s needs the program %s beside dsh or on the PATH; "+
			"\"make build\" in the sources of dsh makes both, or %q: %w", command, p.Name, p.Build, cause(err))
	}
	return path, nil
}

func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// cause returns what is behind an error of a search, whose text repeats the name.
func cause(err error) error {
	if e := (*exec.Error)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}
