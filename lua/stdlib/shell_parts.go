package stdlib

import (
	"github.com/dsh-lua/dsh/lua/stdlib/shell"
	"github.com/dsh-lua/dsh/runtime/luavm"
	"github.com/dsh-lua/dsh/runtime/value"
)

func wordView(w *shell.Word) (value.Value, luavm.Source) {
	return value.Value{}, record[shell.Word]{w, wordFields, wordMember}
}

func wordMember(w *shell.Word, name string) (value.Value, luavm.Source) {
	switch name {
	case "text":
		if w.Single() {
			return value.OfString(w.Text), nil
		}
	case "known":
		return value.OfBool(w.Known()), nil
	case "texts":
		return textsView(w.KnownTexts())
	case "prefix":
		if !w.Known() {
			return value.OfString(w.Prefix()), nil
		}
	case "suffix":
		if !w.Known() {
			return value.OfString(w.Suffix()), nil
		}
	case "glob":
		return someTruth(w.Glob)
	case "many":
		return someTruth(w.Many)
	case "raw":
		return someText(w.Raw)
	case "from":
		return indexesView(w.From)
	}
	return absent()
}

func optionView(o *shell.Option) (value.Value, luavm.Source) {
	return value.Value{}, record[shell.Option]{o, optionFields, optionMember}
}

func optionMember(o *shell.Option, name string) (value.Value, luavm.Source) {
	switch name {
	case "name":
		return value.OfString(o.Name), nil
	case "value":
		if o.HasValue {
			return wordView(&o.Value)
		}
	case "long":
		return someTruth(o.Long)
	}
	return absent()
}

func assignView(a *shell.Assign) (value.Value, luavm.Source) {
	return value.Value{}, record[shell.Assign]{a, assignFields, assignMember}
}

func assignMember(a *shell.Assign, name string) (value.Value, luavm.Source) {
	switch name {
	case "name":
		return value.OfString(a.Name), nil
	case "value":
		return wordView(&a.Value)
	case "append":
		return someTruth(a.Append)
	}
	return absent()
}

func redirectView(r *shell.Redirect) (value.Value, luavm.Source) {
	return value.Value{}, record[shell.Redirect]{r, redirectFields, redirectMember}
}

func redirectMember(r *shell.Redirect, name string) (value.Value, luavm.Source) {
	switch name {
	case "kind":
		return value.OfString(r.Kind), nil
	case "fd":
		return someText(r.Fd)
	case "target":
		return wordView(&r.Target)
	}
	return absent()
}

func inputMember(in *shell.Input, name string) (value.Value, luavm.Source) {
	switch name {
	case "kind":
		return value.OfString(in.Kind), nil
	case "text":
		return wordView(&in.Text)
	case "from":
		return indexesView(in.From)
	}
	return absent()
}

func codeView(c *shell.Code) (value.Value, luavm.Source) {
	return value.Value{}, record[shell.Code]{c, codeFields, codeMember}
}

func codeMember(c *shell.Code, name string) (value.Value, luavm.Source) {
	switch name {
	case "language":
		return value.OfString(c.Language), nil
	case "text":
		return wordView(&c.Text)
	}
	return absent()
}
