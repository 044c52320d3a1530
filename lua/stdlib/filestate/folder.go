package filestate

import (
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
	return filepath.Join(home, ".local", "state", "dsh"), err
}
