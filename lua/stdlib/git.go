package stdlib

import (
	"fmt"
	"path"

	lua "github.com/yuin/gopher-lua"
)

func gitModule() Module {
	folder := Field{"folder?", "string", "else the session's working directory"}
	return Module{
		Name: "git",
		Doc:  "Facts of a git repository, read from its files; no process is started and nothing is written. What cannot be read is nil. Files that a configuration includes are not followed.",
		Classes: []Class{
			{Name: "dsh.git.Repository", Doc: "What is known of a repository.", Fields: []Field{
				{"root", "string", "the top folder of the working tree"},
				{"git_dir", "string", "where this working tree's own files are"},
				{"common_dir", "string", "where what all its working trees share is"},
				{"branch", "string?", "the current branch; nil if none is checked out"},
				{"head", "string?", "the commit that is checked out; nil before the first, or if it cannot be read"},
				{"worktree", "boolean", "whether it is a further working tree of a repository elsewhere"},
				{"submodule", "boolean", "whether it is a submodule of another repository"},
				{"remotes", "table<string, dsh.git.Remote>", "by name"},
				{"upstream", "string?", "what the branch follows, such as `origin/main`"},
				{"default_branch", "string?", "the branch that origin's HEAD named when it was cloned"},
			}},
			{Name: "dsh.git.Remote", Doc: "A remote.", Fields: []Field{
				{"url", "string?", ""},
				{"push_url", "string?", "where it is pushed to, if that is another place"},
			}},
		},
		Functions: []Function{
			{Name: "repository", Doc: "Returns the repository that a folder is in, or nil.", Params: []Field{folder}, Returns: []Field{{"", "dsh.git.Repository?", ""}}, Call: gitRepository},
			{Name: "commit", Doc: "Returns the commit that a ref names, such as `main`, `v1.0` or `origin/main`, or nil.", Params: []Field{{"ref", "string", ""}, folder}, Returns: []Field{{"", "string?", ""}}, Call: gitCommit},
		},
	}
}

// repository finds the one of the folder that argument i names.
func (c *Call) repository(i int) (repo *repository, err error) {
	folder, err := c.Capped(i, maxPath)
	if err != nil {
		return nil, err
	}
	if folder == "" {
		folder = "."
	}
	at, ok := c.absolute(folder, "")
	if !ok || c.Services().FS == nil {
		return nil, nil
	}
	c.Charge(stepsPerRepository)
	c.vm.Outside(func() { repo, err = findRepository(c.Services().FS, path.Clean(at)) })
	if err != nil {
		return nil, fmt.Errorf("the repository of %s cannot be read: %w", folder, err)
	}
	return repo, nil
}

// stepsPerRepository is what finding a repository costs.
const stepsPerRepository = 2000

func gitRepository(c *Call) error {
	repo, err := c.repository(1)
	if err != nil || repo == nil {
		return orNil(c, err)
	}
	var facts repositoryFacts
	c.vm.Outside(func() { facts = repo.facts() })
	c.Charge(facts.read / bytesPerStep)
	remotes := c.vm.Table(0, len(facts.remotes))
	for name, r := range facts.remotes {
		remotes.RawSetString(name, c.Table(map[string]lua.LValue{"url": c.optional(r.url), "push_url": c.optional(r.pushURL)}))
	}
	return c.Return(c.Table(map[string]lua.LValue{
		"root": c.vm.Text(repo.root), "git_dir": c.vm.Text(repo.dir), "common_dir": c.vm.Text(repo.common),
		"worktree": lua.LBool(repo.worktree()), "submodule": lua.LBool(repo.submodule()),
		"branch": c.optional(facts.branch), "head": c.optional(facts.head), "upstream": c.optional(facts.upstream),
		"default_branch": c.optional(facts.defaultBranch), "remotes": remotes,
	}))
}

func gitCommit(c *Call) error {
	repo, err := c.repository(2)
	if err != nil || repo == nil {
		return orNil(c, err)
	}
	var commit string
	c.vm.Outside(func() { commit = repo.resolve(c.Str(1)) })
	c.Charge(repo.read / bytesPerStep)
	return c.Return(c.optional(commit))
}

func orNil(c *Call, err error) error {
	if err != nil {
		return err
	}
	return c.Return(lua.LNil)
}

// optional is a text, or nil for an empty one.
func (c *Call) optional(text string) lua.LValue {
	if text == "" {
		return lua.LNil
	}
	return c.vm.Text(text)
}
