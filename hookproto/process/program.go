package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A program is what is executed, and how.
type program struct {
	path  string
	argv  []string
	env   []string
	dir   string
	stdin []byte
}

// launch starts what is executed for c. Nobody looks beforehand whether a program
// with a full path is there: it mostly is, and looking takes time.
func (p *Process) launch(c Command) error {
	s, err := p.o.program(c, absolute)
	if err != nil {
		return err
	}
	err = p.start(s)
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	if s, err = p.o.program(c, executable); err != nil {
		return err
	}
	if err = p.start(s); err != nil && s.dir != "" {
		// The system does not say whether the folder or the program is missing.
		if _, missing := os.Stat(s.dir); missing != nil {
			return fmt.Errorf("the working directory: %w", missing)
		}
	}
	return err
}

// program returns what is executed for c. A path that there passes is taken to be
// one of a program.
func (o Options) program(c Command, there func(path string) bool) (program, error) {
	s := program{env: o.environment(c), dir: c.Dir, stdin: c.Stdin}
	var err error
	if c.Args != nil {
		s.argv = append([]string{c.Line}, c.Args...)
		s.path, err = lookup(c.Line, s.env, there)
		return s, err
	}
	shell, known := o.Shells[c.Shell]
	if !known {
		return s, fmt.Errorf("shell %q is not known", c.Shell)
	}
	for _, name := range shell.Paths {
		if s.path, err = lookup(name, s.env, there); err == nil {
			s.argv = append(append([]string{name}, shell.Flags...), c.Line)
			return s, nil
		}
	}
	return s, fmt.Errorf("none of %s is there to run the command", strings.Join(shell.Paths, ", "))
}

// lookup finds a program by the PATH of env. Names with a slash are as they are:
// relative ones start at the directory of the command.
func lookup(name string, env []string, there func(path string) bool) (string, error) {
	if name == "" {
		return "", fmt.Errorf("the command is empty")
	}
	if filepath.Base(name) != name {
		if filepath.IsAbs(name) && !there(name) {
			return "", fmt.Errorf("%s: no such program", name)
		}
		return name, nil
	}
	for _, dir := range filepath.SplitList(variable(env, "PATH")) {
		if path := filepath.Join(dir, name); filepath.IsAbs(path) && executable(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: no such program in PATH", name)
}

func absolute(string) bool { return true }

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && info.Mode().Perm()&0o111 != 0
}

// variable returns the last value that env gives to name.
func variable(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if rest, is := strings.CutPrefix(env[i], name+"="); is {
			return rest
		}
	}
	return ""
}
