package group

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// A Tree is a process that leads a session, with all that it started. It belongs
// to one goroutine.
type Tree struct {
	leader  int
	streams []string     // as links in /proc/PID/fd show them
	members map[int]bool // those seen so far that live
	apart   map[int]bool // those seen that hold no stream; who inherits one is a child of a member
}

// NewTree returns the tree of a process that leads a session. Who holds one of
// streams ("pipe:[1234]") belongs to it, wherever it has gone.
func NewTree(leader int, streams ...string) *Tree {
	return &Tree{leader: leader, streams: streams, members: map[int]bool{}, apart: map[int]bool{}}
}

// Look adds the processes that belong to the tree now. Those whose parents end
// later are known by it.
func (t *Tree) Look() { t.look(nil) }

// Kill ends all of the tree. Members are stopped first, so that none starts
// another behind the back of those who look for them.
func (t *Tree) Kill() {
	_ = syscall.Kill(-t.leader, syscall.SIGSTOP)
	for range sweeps {
		if !t.look(t.streams) {
			break
		}
		for pid := range t.members {
			_ = syscall.Kill(pid, syscall.SIGSTOP)
		}
	}
	// A process that was killed still lives until the system gets to it.
	for range sweeps {
		Kill(t.leader)
		for pid := range t.members {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if t.look(nil); len(t.members) == 0 {
			return
		}
		<-time.After(pause)
	}
}

// A relation is where a process stands among the others.
type relation struct {
	pid, parent, group, session int
	dead                        bool // nobody waited for it
}

// look adds who belongs to the tree, and reports whether any was new.
func (t *Tree) look(streams []string) bool {
	// A child of this process holds all that this process does until it has
	// become another program.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	alive := relations()
	t.forgetDead(alive)
	before := len(t.members)
	t.grow(alive)
	for _, r := range alive {
		if !t.members[r.pid] && !t.apart[r.pid] && len(streams) > 0 {
			if holds(r.pid, streams) {
				t.members[r.pid] = true
			} else {
				t.apart[r.pid] = true
			}
		}
	}
	t.grow(alive)
	return len(t.members) > before
}

// forgetDead drops the numbers of dead processes: they may be given to others.
func (t *Tree) forgetDead(alive []relation) {
	living := make(map[int]bool, len(alive))
	for _, r := range alive {
		living[r.pid] = true
	}
	gone := func(pid int, _ bool) bool { return !living[pid] }
	maps.DeleteFunc(t.members, gone)
	maps.DeleteFunc(t.apart, gone)
}

// grow adds the relatives of members until there are no more.
func (t *Tree) grow(alive []relation) {
	for grown := true; grown; {
		grown = false
		for _, r := range alive {
			if !t.members[r.pid] && t.related(r) {
				t.members[r.pid], grown = true, true
			}
		}
	}
}

func (t *Tree) related(r relation) bool {
	return r.group == t.leader || r.session == t.leader || r.parent == t.leader ||
		t.members[r.parent] || t.members[r.group] || t.members[r.session]
}

// holds reports whether a process has one of streams open.
func holds(pid int, streams []string) bool {
	name := "/proc/" + strconv.Itoa(pid) + "/fd"
	folder, err := os.Open(name)
	if err != nil {
		return false
	}
	defer folder.Close()
	fds, _ := folder.Readdirnames(-1)
	return slices.ContainsFunc(fds, func(fd string) bool {
		target, err := os.Readlink(name + "/" + fd)
		return err == nil && slices.Contains(streams, target)
	})
}

// relations lists the others that live.
func relations() []relation {
	return slices.DeleteFunc(everybody(), func(r relation) bool { return r.dead })
}

// everybody lists the others, the dead ones too.
func everybody() (list []relation) {
	for _, pid := range processes() {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			continue
		}
		// The name, in parentheses, can hold anything; what follows is plain.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) < 4 {
			continue
		}
		parent, _ := strconv.Atoi(string(fields[1]))
		grp, _ := strconv.Atoi(string(fields[2]))
		session, _ := strconv.Atoi(string(fields[3]))
		list = append(list, relation{pid: pid, parent: parent, group: grp, session: session, dead: fields[0][0] == 'Z'})
	}
	return list
}
