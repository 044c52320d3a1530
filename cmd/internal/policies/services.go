package policies

import (
	"context"
	"os"
	"time"

	"github.com/dsh-lua/dsh/lua/stdlib"
	"github.com/dsh-lua/dsh/lua/stdlib/filestate"
)

// Services are those of this machine, for the modules that policies require. now
// tells the time of the event under way.
func Services(now func() time.Time) stdlib.Services {
	s := stdlib.Services{
		FS:    os.DirFS("/"),
		Clock: func(context.Context) time.Time { return now() },
	}
	s.Home, _ = os.UserHomeDir() // unknown is empty
	if folder, err := filestate.Folder(); err == nil {
		s.State = filestate.New(folder)
	}
	return s
}

// Trial is s for a trial: what policies keep is known until the process ends and
// then forgotten.
func Trial(s stdlib.Services) stdlib.Services {
	s.State = &stdlib.Memory{Base: s.State}
	return s
}
