package shell

import (
	"strings"
	"sync"
)

// how says how a program runs others, or what it does to the shell.
type how uint8

const (
	howExec      how = iota + 1 // the operands are a command
	howEnv                      // exec, with -S
	howSudo                     // exec, or a shell of another user
	howSu                       // a shell of another user
	howLookup                   // exec, unless it only looks a name up
	howShell                    // -c, a script, or standard input as shell
	howEval                     // the operands are one text of shell
	howText                     // the value of an option, or the operands, are shell
	howXargs                    // the operands, with words read from standard input
	howFind                     // -exec and its like
	howParallel                 // GNU parallel
	howSSH                      // a host, then a text of shell for it
	howContainer                // docker and its like
	howKube                     // kubectl
	howGit                      // aliases and options that run programs
	howGitOwn                   // the program behind one of git's commands
	howValues                   // options whose values are shell, beside what the program does
	howSub                      // a subcommand whose operands are a command
	howRemote                   // options whose values another machine runs as shell
	howAnsible                  // a module, and what it is told
	howFd                       // -x and -X run the rest
	howRest                     // an option that the rest is the command behind
	howCode                     // an interpreter of another language
	howStdin                    // standard input is shell
	howSocat                    // addresses that are a command
	howCd                       // the rest change the shell itself
	howPush
	howPop
	howRead
	howUnset
	howSet
	howShift
	howSource
	howTrap
	howAlias
	howExport
	howPrintf
	howHash
)

// A row says how one program runs others. Where a list of options is written, it
// has the letters of short options and the names of long ones.
type row struct {
	names    string
	how      how
	values   string // options that take a value
	pairs    string // options that take two
	optional string // letters whose value is attached, if there is one
	operands int    // operands in front of the command
	assigns  bool   // assignments may stand in front of the command
	moves    string // options that name the folder in which the command runs
	same     bool   // the command runs in the same shell
	text     string // options whose value is a text that is run
	subs     string // subcommands that run a command
	typed    string // subcommands that type their operands into a shell
	own      string // the other subcommands; any name beside these is a tool of the project
	where    string // where the command runs, if not here
	dashes   bool   // the command begins behind "--"
	language string // of an interpreter
	single   bool   // options are whole words with one dash
	looks    string // options with which nothing is run
}

// findRow returns the row of a program; the version at the end of its name does
// not matter.
func findRow(name string) *row {
	if name == "" {
		return nil
	}
	index := rowIndex()
	if r := index[name]; r != nil {
		return r
	}
	if sub, ok := strings.CutPrefix(name, "git-"); ok && findProgram("git "+sub).names != "" {
		return &gitOwn
	}
	if last := name[len(name)-1]; last >= '0' && last <= '9' {
		return index[strings.TrimRight(name, "0123456789.")]
	}
	return nil
}

// gitOwn is the row of git-push and its like, the programs behind git's commands.
var gitOwn = row{how: howGitOwn}

// rowIndex finds rows by name; it is made by the first line that is read.
var rowIndex = sync.OnceValue(func() map[string]*row {
	index := make(map[string]*row, 4*len(rows))
	for _, list := range [][]row{rows, placeRows, languageRows} {
		for i := range list {
			for name := range strings.FieldsSeq(list[i].names) {
				index[name] = &list[i]
			}
		}
	}
	return index
})

// nodeOwn are the subcommands that yarn and pnpm have; they take any other name for that
// of a tool or a script of the project. nodeTools are those tools that other programs
// are named like.
const (
	nodeOwn = "add audit autoclean bin cache check ci config constraints create dedupe deploy dlx doctor exec explain fetch generate-lock-entry global help i " +
		"import info init install install-test it licenses licence link list ll ls login logout node npm outdated owner pack patch patch-commit plugin prune " +
		"publish rb rebuild remove rm root run search self-update server set setup stage start store tag team test uninstall unlink unplug unpublish up " +
		"update upgrade upgrade-interactive version versions view why workspace workspaces x"
	nodeTools = "shx cross-env cross-env-shell env-cmd dotenv nodemon tsx ts-node"
)

const sudoValues = "u g h p C r t T U D R c a user group host prompt close-from role type command-timeout other-user chdir chroot login-class"

// rows are the programs that run others.
var rows = []row{
	// Builtins that run their operands in the same shell.
	{names: "command", how: howLookup, looks: "v V", same: true},
	{names: "builtin", how: howExec, same: true},
	{names: "exec", how: howExec, values: "a"},
	{names: "eval", how: howEval, same: true},
	{names: "coproc", how: howExec},

	// Another user.
	{names: "sudo sudo-rs doas run0 dzdo pfexec please calife", how: howSudo, values: sudoValues, moves: "D chdir", assigns: true, looks: "l v K V e list validate remove-timestamp version edit help"},
	{names: "pkexec gksudo gksu kdesudo kdesu beesu", how: howExec, values: "u user"},
	{names: "su runuser ksu", how: howSu, values: "s g G w u shell group supp-group whitelist-environment user", text: "c command session-command"},
	{names: "setpriv capsh", how: howExec, values: "reuid regid groups inh-caps ambient-caps bounding-set securebits"},
	{names: "gosu su-exec chpst setuidgid", how: howExec, operands: 1},

	// The environment, priorities, time, output.
	{names: "env", how: howEnv, values: "u C unset chdir", moves: "C chdir", text: "S split-string", assigns: true},
	{names: "nohup setsid unbuffer chronic catchsegv fakeroot shx linux32 linux64 faketty winpty rlwrap pidproxy daemonize cgexec tini dumb-init", how: howExec},
	{names: "nice", how: howExec, values: "n adjustment"},
	{names: "ionice", how: howExec, values: "c n class classdata", looks: "p P u pid pgid uid"},
	{names: "chrt", how: howExec, values: "T P D sched-runtime sched-period sched-deadline", operands: 1, looks: "p pid m max"},
	{names: "taskset", how: howExec, operands: 1, looks: "p pid"},
	{names: "numactl", how: howExec, values: "N m C i p l physcpubind cpunodebind membind interleave preferred"},
	{names: "cpulimit", how: howExec, values: "l p e limit pid exe"},
	{names: "caffeinate", how: howExec, values: "t w"},
	{names: "prlimit", how: howExec, looks: "p pid"},
	{names: "time gtime", how: howExec, values: "f o format output"},
	{names: "timeout gtimeout", how: howExec, values: "k s kill-after signal", operands: 1},
	{names: "stdbuf", how: howExec, values: "i o e input output error"},
	{names: "chroot", how: howExec, values: "groups userspec", operands: 1},
	{names: "unshare", how: howExec, values: "S G w R setuid setgid root wd propagation map-user map-group", moves: "w wd"},
	{names: "nsenter", how: howExec, values: "t S G setuid setgid target", moves: "wd"},
	{names: "systemd-run", how: howExec, values: "p u H M E unit property host machine setenv slice description service-type uid gid nice working-directory on-active on-calendar", moves: "working-directory"},
	{names: "systemd-inhibit", how: howExec, values: "what who why mode"},
	{names: "firejail torify tsocks ts", how: howExec},
	{names: "bwrap", how: howExec, pairs: "bind ro-bind dev-bind bind-try ro-bind-try dev-bind-try symlink setenv file bind-data ro-bind-data chmod overlay", values: "chdir unsetenv dev proc tmpfs mqueue dir uid gid hostname lock-file seccomp perms size cap-add cap-drop args", moves: "chdir"},
	{names: "proxychains proxychains4", how: howExec, values: "f"},
	{names: "torsocks trickle", how: howExec, values: "a P u p d w t l"},
	{names: "sshpass", how: howExec, values: "f d P p"},
	{names: "strace ltrace dtruss", how: howExec, values: "e o p s a b E I O S P u trace output attach"},
	{names: "valgrind heaptrack rr hyperfine-wrap", how: howExec},
	{names: "dbus-run-session xvfb-run dbus-launch", how: howExec, values: "n s e f server-args server-num"},
	{names: "wsl", how: howExec, values: "d u distribution user cd shell-type"},
	{names: "direnv", how: howSub, subs: "exec", operands: 1},
	{names: "ssh-agent", how: howExec, values: "a t"},
	{names: "op doppler infisical teller dotenvx envkey-source", how: howSub, subs: "run exec"},
	{names: "aws-vault", how: howSub, subs: "exec", values: "duration region", operands: 1},
	{names: "chamber aws-okta saml2aws granted", how: howSub, subs: "exec", dashes: true},
	{names: "dotenv dotenv-cli env-cmd cross-env cross-env-shell", how: howExec, values: "f e v p", assigns: true},
	{names: "flock", how: howText, values: "w E timeout conflict-exit-code", text: "c command", operands: 1},
	{names: "script", how: howText, values: "E o O I B T log-out log-in log-io", text: "c command"},
	{names: "watch", how: howText, values: "n q interval equexit"},
	{names: "hyperfine", how: howText, values: "w m M r S n L P D u warmup runs min-runs max-runs shell parameter-list export-json export-markdown", text: "p s c prepare setup cleanup conclude"},
	{names: "entr", how: howSudo}, // with -s the operands are a text
	{names: "watchexec", how: howExec, values: "w e f i d s W watch exts filter ignore debounce signal shell workdir"},
	{names: "compgen complete", how: howValues, values: "A F G P S W X", text: "C"},
	{names: "nodemon", how: howValues, text: "x exec"},
	{names: "tar gtar bsdtar", how: howValues, text: "I use-compress-program to-command checkpoint-action rsh-command info-script"},
	{names: "rsync", how: howValues, text: "e rsh rsync-path"},
	{names: "scp sftp", how: howValues, values: "B b c D F i J l o P R s X", text: "S"},
	{names: "split", how: howValues, values: "a b C l n t suffix-length bytes line-bytes lines number separator additional-suffix", text: "filter"},
	{names: "sort", how: howValues, values: "k t o S T key field-separator output buffer-size temporary-directory files0-from parallel", text: "compress-program"},
	{names: "nc ncat netcat", how: howValues, values: "p s w X x i q", text: "e c exec sh-exec lua-exec"},
	{names: "socat", how: howSocat},
	{names: "man", how: howValues, text: "P pager"},
	{names: "sem", how: howExec, values: "j id jobs"},
	{names: "screen", how: howExec, values: "S s t c e h p T", looks: "r R x X wipe"},
	{names: "tmux", how: howSub, subs: "new-session new new-window neww split-window splitw respawn-pane run-shell run", typed: "send-keys send", values: "s t n c x y F L S f N", moves: "c"},
	{names: "nix-shell", how: howText, values: "p I A packages attr", text: "run command"},
	{names: "nix", how: howRest, text: "c command", dashes: true},
	{names: "at batch newgrp", how: howStdin, values: "f q t"},

	// Runners of packages and environments.
	{names: "uv poetry pipenv pdm rye hatch mise rtx asdf bundle bundler pixi conda mamba micromamba pyenv rbenv nodenv volta foreman", how: howSub, subs: "run exec x", values: "n p e C name prefix with python env project directory cd cwd", moves: "C directory cd cwd"},

	{names: "npx bunx pnpx uvx", how: howExec, values: "p package from with python", text: "c call"},
	{names: "npm", how: howSub, subs: "exec x", values: "C prefix w workspace package", moves: "C prefix", text: "c call"},
	{names: "pnpm yarn", how: howSub, subs: "exec dlx x", own: nodeOwn, values: "C dir prefix F filter cwd workspace package", moves: "C dir prefix cwd", text: "c call"},

	// More than one command.
	{names: "xargs gxargs", how: howXargs, optional: "i e l", values: "I n P L d E s a max-args max-procs max-lines replace delimiter arg-file max-chars eof process-slot-var"},
	{names: "find gfind bfs", how: howFind},
	{names: "parallel", how: howParallel, values: "j I a S N n L d C P jobs arg-file sshlogin max-args colsep delay timeout retries joblog results tmpdir wd memfree load delimiter halt", moves: "wd workdir"},
	{names: "fd fdfind", how: howFd, values: "e t d E c S o j C extension type max-depth min-depth exclude color size owner threads base-directory search-path changed-within changed-before", moves: "C base-directory", text: "x X exec exec-batch"},
	{names: "busybox toybox", how: howExec, looks: "list install help"},

	// Shells.
	{names: "sh bash zsh dash ksh mksh ash yash rbash fish posh csh tcsh", how: howShell, values: "o O rcfile init-file command"},
	{names: "source .", how: howSource},
	{names: "trap", how: howTrap, looks: "p l"},

	// Version control.
	{names: "git", how: howGit},

	// Builtins that change the shell.
	{names: "cd chdir", how: howCd},
	{names: "pushd", how: howPush},
	{names: "popd", how: howPop},
	{names: "read mapfile readarray getopts", how: howRead, values: "a d i n N p t u O s c C", text: "C"},
	{names: "unset", how: howUnset},
	{names: "set", how: howSet},
	{names: "shift", how: howShift},
	{names: "alias", how: howAlias},
	{names: "printf", how: howPrintf, values: "v"},
	{names: "hash", how: howHash, values: "p"},
}
