package filestate

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Folder returns where the state of the user is kept: dsh below XDG_STATE_HOME,
// which is ~/.local/state unless set, on other systems below the folder that
// they have for such files.
func Folder() (string, error) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		config, err := os.UserConfigDir()
		return filepath.Join(config, "dsh", "state"), err
	}
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "dsh"), nil
	}
	home, err := os.UserHomeDir()
	if err == nil && !filepath.IsAbs(home) { // it would be another folder for each that a hook starts in
		err = fmt.Errorf("the home folder %q is not absolute", home)
	}
	return filepath.Join(home, ".local", "state", "dsh"), err
}
