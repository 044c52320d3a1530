package shell

import (
	"strings"
	"sync"
)

// A program says how a program, or one of its subcommands, reads its options.
type program struct {
	names    string // separated by "|", since a subcommand has a blank in its name
	values   string // options whose value is the next word
	optional string // letters whose value is attached, if there is one
	longs    string // long names that begin other long names
	subs     bool   // the first operand is a subcommand
	single   bool   // options are whole words with one dash
	early    bool   // the first operand ends the options
	first    bool   // the first word is a bundle of options, with a dash or without
}

// findProgram returns the grammar of a program; of one that no row has, an empty
// one.
func findProgram(name string) program {
	return programIndex()[name]
}

var programIndex = sync.OnceValue(func() map[string]program {
	index := make(map[string]program, 2*len(programs))
	for _, p := range programs {
		for _, name := range strings.Split(p.names, "|") {
			index[name] = p
		}
	}
	return index
})

const (
	logValues = "n S G L O l max-count skip since until after before author committer grep format pretty output date word-diff-regex diff-filter inter-hunk-context"
	curlLong  = "data data-raw data-binary data-urlencode data-ascii header request user form form-string user-agent referer cookie cookie-jar proxy upload-file output max-time connect-timeout retry cert key cacert config write-out output-dir url json resolve interface range limit-rate netrc-file dump-header"
	sqlShort  = "c f d U h p v o F R P T L"
)

// textPrograms are programs whose words are texts, names and numbers, and never run.
const textPrograms = "echo test [ true false : export declare local readonly type which whereis whatis apropos info tldr help history fc seq sleep " +
	"basename dirname realpath readlink expr let return exit break continue ps pgrep pkill kill killall id whoami hostname uname cal df " +
	"free uptime dpkg rpm pacman dnf yum apk snap apt-cache apt-mark jest vitest mocha pytest tox rspec phpunit yq jq tree cmp comm tr " +
	"tput clear logger notify-send wall say tsc eslint prettier ruff black mypy gofmt shellcheck shfmt yamllint markdownlint cspell " +
	"codespell pandoc svn hg p4 fossil"

var programs = []program{
	{names: "git", values: gitValues, subs: true},
	{names: "git push|git send-pack|git http-push", values: "o push-option repo receive-pack exec", longs: "force"},
	{names: "git commit", values: "m F C c t message file reuse-message reedit-message template author date fixup squash cleanup trailer pathspec-from-file", optional: "u S"},
	{names: "git merge", values: "m s X F file strategy strategy-option into-name cleanup", optional: "S"},
	{names: "git rebase", values: "x s X C exec onto strategy strategy-option empty whitespace", optional: "S"},
	{names: "git cherry-pick|git revert", values: "m s X mainline strategy strategy-option cleanup", optional: "S"},
	{names: "git am", values: "C p directory exclude include patch-format whitespace", optional: "S"},
	{names: "git checkout", values: "b B orphan conflict pathspec-from-file", optional: "t"},
	{names: "git switch", values: "c C create force-create orphan conflict", optional: "t"},
	{names: "git reset", values: "pathspec-from-file", optional: "U"},
	{names: "git restore", values: "s source conflict pathspec-from-file"},
	{names: "git clean", values: "e exclude"},
	{names: "git stash", values: "m message pathspec-from-file"},
	{names: "git config", values: "f file blob type default value comment"},
	{names: "git log|git show|git diff|git whatchanged|git shortlog|git rev-list|git reflog", values: logValues, optional: "U M C B"},
	{names: "git grep", values: "e f A B C m O max-depth threads max-count"},
	{names: "git tag", values: "m F u message file local-user sort format cleanup", optional: "n"},
	{names: "git branch", values: "u set-upstream-to sort format points-at"},
	{names: "git worktree", values: "b B reason"},
	{names: "git clone", values: "b o u c j branch origin upload-pack config depth reference separate-git-dir template jobs filter shallow-since server-option"},
	{names: "git fetch|git pull", values: "j o depth upload-pack server-option refmap jobs deepen shallow-since shallow-exclude"},
	{names: "git archive", values: "o output remote exec format prefix"},
	{names: "git submodule", values: "b branch name reference depth jobs"},
	{names: "git ls-remote", values: "o upload-pack exec server-option sort"},
	{names: "git format-patch", values: "o n output-directory"},
	{names: "git apply", values: "p C directory exclude include whitespace"},
	{names: "git blame", values: "L S C M contents ignore-rev"},
	{names: "git update-ref", values: "m"},
	{names: "git notes", values: "m F C c message file ref"},

	{names: "rm|rmdir|unlink|shred|srm|wipe", values: "n iterations size random-source"},
	{names: "cp|mv|install|ln", values: "t S target-directory suffix m mode o owner g group"},
	{names: "chmod|chown|chgrp", values: "reference from"},
	{names: "touch", values: "d r t date reference time"},
	{names: "tee", values: "output-error"},
	{names: "truncate", values: "s r size reference"},
	{names: "mkdir", values: "m mode"},
	{names: "find|gfind|bfs", values: "name iname path ipath wholename regex iregex type maxdepth mindepth size mtime atime ctime mmin amin cmin newer user group perm links inum samefile fstype lname regextype printf fprint fprint0 fprintf fls exec execdir ok okdir", single: true},
	{names: "grep|egrep|fgrep|zgrep|ggrep", values: "e f m A B C D d regexp file max-count after-context before-context context include exclude exclude-dir exclude-from color binary-files label devices directories"},
	{names: "rg|ripgrep", values: "e f m A B C g t T r M j E d regexp file max-count after-context before-context context glob iglob type type-not replace max-columns max-depth threads pre pre-glob sort sortr encoding ignore-file color colors engine"},
	{names: "ag|ack", values: "A B C G m p ignore depth"},
	{names: "head|tail", values: "n c lines bytes s pid sleep-interval max-unchanged-stats"},
	{names: "bat|batcat", values: "l r H m language line-range highlight-line style theme tabs wrap color decorations pager paging file-name map-syntax terminal-width"},
	{names: "tac", values: "s separator"},
	{names: "nl", values: "b d f h i l n s v w"},
	{names: "less|more|most", values: "b h j k o O p P t T x y z"},
	{names: "sed|gsed", values: "e f l expression file line-length", optional: "i"},
	{names: "awk|gawk|mawk|nawk", values: "F v f e i include source file assign field-separator", early: true},
	{names: "cut", values: "d f b c delimiter fields bytes characters output-delimiter"},
	{names: "sort", values: "k t o S T key field-separator output buffer-size temporary-directory files0-from parallel compress-program"},
	{names: "uniq", values: "f s w skip-fields skip-chars check-chars"},
	{names: "join", values: "1 2 t o a e v j"},
	{names: "paste", values: "d delimiters"},
	{names: "fold|fmt", values: "w width"},
	{names: "column", values: "s c o N R separator output-separator table-columns"},
	{names: "wc", values: "files0-from"},
	{names: "ls|dir|vdir|exa|eza|lsd", values: "I w T hide ignore width tabsize time-style sort level ignore-glob"},
	{names: "stat|file", values: "c f t m P F format printf magic-file"},
	{names: "date", values: "d f r s date file reference set"},
	{names: "du", values: "B d t X block-size max-depth threshold exclude exclude-from files0-from time-style"},
	{names: "diff|colordiff|delta", values: "I x X U C W F label exclude exclude-from width"},
	{names: "xxd", values: "c g l o s n"},
	{names: "od|hexdump|hd", values: "A t N j S w e f n s"},
	{names: "base64|base32|openssl base64", values: "w wrap i o"},
	{names: "dd", values: ""},
	{names: "7z|7za|7zz|rar", single: true},
	{names: "mount", values: "t types o options L U label source target"},
	{names: "split", values: "a b C l n t suffix-length bytes line-bytes lines number filter separator additional-suffix"},
	{names: "csplit", values: "f b n prefix suffix-format digits"},
	{names: "gcc|cc|g++|clang|clang++|c++|go build|rustc", values: "o"},
	{names: "cpio", values: "D directory F file E H"},
	{names: "script", values: "c E o O I B T command log-out log-in log-io"},
	{names: "openssl", values: "out", single: true},
	{names: "vim|vi|nvim|view|ex", values: "c cmd S i t T u U w W"},
	{names: "cockroach", subs: true},
	{names: "cockroach sql", values: "e execute f file d database u user host url port"},
	{names: "gpg", values: "o output r recipient u local-user"},
	{names: "tar|bsdtar|gtar", values: "f C T X b g K N file directory files-from exclude-from exclude transform xform use-compress-program I to-command checkpoint-action rsh-command owner group mode strip-components", first: true},
	{names: "zip", values: "P t n x i b"},
	{names: "unzip", values: "d x P"},
	{names: "rsync", values: "e f B T M rsh filter exclude include exclude-from include-from files-from backup-dir suffix temp-dir partial-dir log-file password-file rsync-path port chmod chown max-size bwlimit"},
	{names: "scp|sftp", values: "i F o P l c S J b B D"},
	{names: "ssh|autossh", values: "B b c D E e F I i J L l m O o p Q R S W w", early: true},
	{names: "ssh-add|ssh-keygen|ssh-copy-id", values: "t b f C N P E i p o s c T"},
	{names: "curl", values: "d H X u F A e b c x T o m K E w r C y Y z t Q D U P " + curlLong},
	{names: "wget|wget2", values: "O o P U e i a t T header post-data post-file body-data body-file method user password output-document output-file directory-prefix user-agent input-file execute load-cookies save-cookies certificate private-key"},
	{names: "http|https|xh|httpie", values: "A a o d s p auth auth-type output verify session"},
	{names: "lftp|smbclient", values: "e c u p U A I f"},
	{names: "nc|ncat|netcat|socat", values: "p s w X x i q e c"},
	{names: "psql|pgcli|createdb|dropdb|pg_dump|pg_restore|usql", values: sqlShort + " command file dbname username host port set variable output execute"},
	{names: "mysql|mariadb|mycli", values: "e u h P D S execute user host port database socket init-command defaults-file", optional: "p"},
	{names: "mysqladmin|mysqldump", values: "u h P S user host port", optional: "p"},
	{names: "sqlite3|sqlite|litecli|duckdb", values: "cmd init separator newline c", single: true},
	{names: "sqlcmd|osql", values: "Q q S d U P i o v"},
	{names: "clickhouse-client|clickhouse", values: "q h u d query host user password database queries-file"},
	{names: "bq|snow|snowsql|trino|presto|hive|beeline|spark-sql|cqlsh|mongosh|mongo", values: "q e f u p d query execute file eval"},

	{names: "docker|podman|nerdctl", values: "H c l host context config log-level", subs: true},
	{names: "docker run|docker exec|docker create|podman run|podman exec|podman create|nerdctl run|nerdctl exec", values: containerValues, early: true},
	{names: "kubectl|oc", values: "n s namespace context cluster kubeconfig user server", subs: true},
	{names: "npm|pnpm|yarn|bun|cargo|go|gh|glab|hub|terraform|tofu|aws|gcloud|az|helm|systemctl|brew|pip|pip3|apt|apt-get", subs: true, values: "C R prefix repo cwd dir workspace filter chdir profile region project"},
	{names: "gh api", values: "X H f F q t p method header field raw-field input jq template hostname cache preview"},
	{names: "gh secret|gh variable|gh gist|gh release|gh issue|gh pr|gh repo", values: "f b B F t r e o n H l a m R d env-file body body-file title repo env org filename desc base head label assignee milestone notes notes-file"},
	{names: "npx|bunx|pnpx|uvx|pipx", values: "p c package call from with python", early: true},
	{names: "sudo|sudo-rs|doas|dzdo|pfexec", values: sudoValues, early: true},
	{names: "su|runuser", values: "c s g G w u command session-command shell group supp-group whitelist-environment user"},
	{names: "pkexec", values: "u user", early: true},
	{names: "xargs", values: "I n P L d E s a", optional: "i e l", early: true},
	{names: "make|gmake", values: "C f I j l o W directory file makefile"},
	{names: "python|python3|python2", values: "c m W X Q", early: true},
	{names: "node|nodejs|deno", values: "e p r C eval print require import", early: true},
	{names: "perl|ruby", values: "e E I M m C r", optional: "i", early: true},
	{names: "php", values: "r d f c R B E", early: true},
	{names: "env", values: "u C S unset chdir split-string", early: true},
	{names: "docker-compose|podman-compose", values: "f p file project-name", subs: true},
}
