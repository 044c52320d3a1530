package script_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/runtime/script"
	"github.com/dsh-lua/dsh/runtime/tool"
)

// files are the texts of a folder by name.
type files map[string]string

func (f files) fs() fs.FS {
	m := fstest.MapFS{}
	for name, text := range f {
		m[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return m
}

func TestRequire(t *testing.T) {
	folder := files{
		"words.lua":    "return {no = 'no'}",
		"nothing.lua":  "local x = 1",
		"is-nil.lua":   "return nil",
		"is-false.lua": "return false",
		"twice.lua":    "count = (rawget(_G, 'count') or 0) + 1 return count",
		"outer.lua":    "return {inner = require 'words'}",
		"helper.lua":   "return function(call) return dsh.deny(call.tool) end",
		"Upper_1.lua":  "return 'u'",
	}
	for _, test := range []struct{ head, reason, want string }{
		{"local w = require 'words'", "w.no", "no"},
		{"local w = require('words')", "w.no", "no"},
		{"local a, b = require 'words', require 'words'", "tostring(a == b)", "true"},
		{"local a, b = require 'twice', require 'twice'", "a .. b .. rawget(_G, 'count')", "111"},
		{"local x = require 'nothing'", "tostring(x)", "true"},
		{"local x = require 'is-nil'", "tostring(x)", "true"},
		{"local x = require 'is-false'", "tostring(x)", "false"},
		{"local o = require 'outer' local w = require 'words'", "tostring(o.inner == w)", "true"},
		{"local x = require 'Upper_1'", "x", "u"},
		{"local ok = pcall(function() w = require 'words' end)", "w.no", "no"},
		{"local json = require 'json'", "tostring(require ~= nil and json.null ~= nil)", "true"},
	} {
		t.Run(test.head, func(t *testing.T) {
			opts := offered()
			opts.Folder = folder.fs()
			d := newDesk(t, load(t, "policy.lua", test.head+"\n"+pre("return dsh.deny("+test.reason+")"), opts))
			for range 3 {
				got, err := d.ask(t, rm())
				require.NoError(t, err)
				require.Equal(t, tool.Deny{Reason: test.want}, got)
			}
		})
	}
	t.Run("a module builds answers", func(t *testing.T) {
		opts := offered()
		opts.Folder = folder.fs()
		got, err := newDesk(t, load(t, "policy.lua", "local h = require 'helper'\n"+pre("return h(call)"), opts)).ask(t, rm())
		require.NoError(t, err)
		require.Equal(t, tool.Deny{Reason: "Bash"}, got)
	})
}

func TestRequireMistakes(t *testing.T) {
	folder := files{
		"words.lua":  "return {}",
		"broken.lua": "local x = 1\nlocal y = = 2",
		"raises.lua": "\n\nerror 'boom'",
		"a.lua":      "return require 'b'",
		"b.lua":      "return require 'a'",
		"self.lua":   "return require 'self'",
		"on.lua":     "\ndsh.on('tools/guard', function() end)",
		"loop.lua":   "while true do end",
		"sub/x.lua":  "return 1",

		"folder.lua/x": "",
	}
	const name = "require takes the name of a module or of a file beside this one, without folder and without .lua"
	for _, test := range []struct{ source, want string }{
		{"require 'wrods'", `policy.lua:1: no module "wrods"; did you mean "words"?`},
		{"require 'jsn'", `no module "jsn"; did you mean "json"?`},
		{"require 'zzzzzz'", `policy.lua:1: no module "zzzzzz"`},
		{"require '../words'", name},
		{"require './words'", name},
		{"require 'sub/x'", name},
		{"require 'sub.x'", name},
		{"require '/etc/passwd'", name},
		{"require 'words.lua'", name},
		{"require ''", name},
		{"require()", name},
		{"require(1)", name},
		{"require('words', 1)", name},
		{"require 'words\\0'", name},
		{"require 'sub\\\\x'", name},
		{"require 'broken'", "broken.lua:2"},
		{"require 'raises'", "raises.lua:3: boom"},
		{"require 'a'", "the files require each other in a circle"},
		{"require 'self'", "the files require each other in a circle"},
		{"require 'on'", "on.lua:2: dsh.on is for the policy's own file, not for one that it requires"},
		{"pcall(require, 'on')", "dsh.on is for the policy's own file"},
		{"pcall(require, 'broken')", "broken.lua:2"},
		{"require 'folder'", `no module "folder": folder.lua is no file`},
		{"require 'loop'", "instruction budget used up"},
	} {
		t.Run(test.source, func(t *testing.T) {
			opts := offered()
			opts.Folder = folder.fs()
			opts.Lazy, opts.Limits.Instructions = true, 100_000
			_, err := script.Load(t.Context(), "policy.lua", test.source+"\n"+pre(""), opts)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestWhereRequireMayStand(t *testing.T) {
	for _, body := range []string{"require 'words'", "pcall(require, 'words')", "late()"} {
		t.Run("in a handler: "+body, func(t *testing.T) {
			opts := offered()
			opts.Folder = files{"late.lua": "return function() return require 'words' end", "words.lua": "return {}"}.fs()
			_, err := newDesk(t, load(t, "policy.lua", "local late = require 'late'\n"+pre(body), opts)).ask(t, rm())
			require.ErrorContains(t, err, "require is for file level")
		})
	}
	t.Run("without a folder", func(t *testing.T) {
		_, err := script.Load(t.Context(), "policy.lua", "require 'words'\n"+pre(""), offered())
		require.ErrorContains(t, err, `no module "words", and this script has no folder`)
	})
}

// A module's file is read once: all runs of one script see the same.
func TestModulesAreReadOnce(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "m.lua")
	require.NoError(t, os.WriteFile(file, []byte("return 'old'"), 0o600))
	opts := offered()
	opts.Folder = os.DirFS(dir)
	s := load(t, "policy.lua", "local n, m = 0, require 'm'\n"+pre("n = n + 1 return dsh.deny(m)"), opts)
	require.NoError(t, os.WriteFile(file, []byte("return 'new'"), 0o600))
	got, err := newDesk(t, s).ask(t, rm())
	require.NoError(t, err)
	require.Equal(t, tool.Deny{Reason: "old"}, got)
}

// A module that remembers keeps the instance from being used again.
func TestModulesRememberNothing(t *testing.T) {
	opts := offered()
	opts.Folder = files{"count.lua": "local n = 0 return function() n = n + 1 return n end", "list.lua": "return {}"}.fs()
	for _, source := range []string{
		"local count = require 'count'\n" + pre("return dsh.deny(tostring(count()))"),
		"local list = require 'list'\n" + pre("list[#list + 1] = 1 return dsh.deny(tostring(#list))"),
	} {
		d := newDesk(t, load(t, "policy.lua", source, opts))
		for range 3 {
			got, err := d.ask(t, rm())
			require.NoError(t, err)
			require.Equal(t, tool.Deny{Reason: "1"}, got)
		}
	}
}

// A module is as large as a policy may be.
func TestLargeModules(t *testing.T) {
	opts := offered()
	opts.Folder = files{"m.lua": string(make([]byte, 300<<10))}.fs()
	_, err := script.Load(t.Context(), "policy.lua", "require 'm'\n"+pre(""), opts)
	require.ErrorContains(t, err, "m.lua is 307200 bytes long; a module may have 262144")
}
