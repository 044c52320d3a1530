package stdlib

func shellClasses() []Class {
	return append(shellCommandClasses(), shellPartClasses()...)
}

func shellCommandClasses() []Class {
	return []Class{
		{Name: "dsh.shell.Known", Doc: "What is known of where a line runs.", Fields: []Field{
			{"cwd?", "string", "the absolute folder in which it starts"},
			{"home?", "string", "the absolute home folder"},
		}},
		{Name: "dsh.shell.Line", Doc: "What a line would run.", Fields: []Field{
			{"commands", "dsh.shell.Command[]", "the simple commands, in the order in which they start"},
			{"problem?", "string", "why there may be more commands than these"},
		}},
		{Name: "dsh.shell.Command", Doc: "A simple command.", Fields: []Field{
			{"name?", "string", "the program without its folder; nil if it is not known, or if there are only assignments or redirections"},
			{"argv", "dsh.shell.Word[]", "the words, the program first"},
			{"sub?", "string", "the subcommand of a program that has some: push of git"},
			{"before", "dsh.shell.Option[]", "the options in front of the subcommand"},
			{"options", "dsh.shell.Option[]", "the options, read as the program reads them where dsh knows it"},
			{"operands", "dsh.shell.Word[]", "the other words"},
			{"unsure?", "boolean", "whether a word that is not known may be an option"},
			{"unlisted?", "boolean", "whether dsh does not know the program, so that it may run words that it is given"},
			{"assigns", "dsh.shell.Assign[]", "the assignments in front of it"},
			{"redirects", "dsh.shell.Redirect[]", "its redirections"},
			{"input?", "dsh.shell.Input", "its standard input, if the line redirects it"},
			{"via", "string[]", "the programs that run it, the outermost first"},
			{"where?", "string", "\"remote\" or \"container\" if it does not run on this machine"},
			{"cwd?", "string", "the folder that it runs in; nil if that is not known"},
			{"code", "dsh.shell.Code[]", "programs in other languages that it is given"},
			{"script?", "dsh.shell.Word", "the file that it runs as a program"},
			{"scripts", "integer[]", "the commands that write this file, by their place in commands"},
			{"opaque?", "string", "why not all that it runs is known"},
			{"wrapper?", "boolean", "whether it runs commands that follow in the list"},
			{"pipeline?", "integer", "the number of its pipeline"},
			{"member?", "integer", "its place there"},
			{"subshell?", "boolean", "whether it is in ( )"},
			{"loop?", "boolean", "whether it is in a loop"},
			{"in_function?", "boolean", "whether it is in a function that is called"},
			{"background?", "boolean", "whether nobody waits for it"},
			{"condition?", "boolean", "whether it is a condition of if or while"},
			{"substitution?", "boolean", "whether it is in $( ) or <( )"},
			{"maybe?", "boolean", "whether it runs only if another one fails or succeeds in a branch"},
			{"depth?", "integer", "how many shells within each other run it"},
		}},
	}
}

func shellPartClasses() []Class {
	return []Class{
		{Name: "dsh.shell.Word", Doc: "A word after expansion, without its quotes.", Fields: []Field{
			{"text?", "string", "the word; nil if it is not known or has several texts"},
			{"known", "boolean", "whether texts are all that it can be"},
			{"texts", "string[]", "the known texts that it may have"},
			{"prefix?", "string", "of a word that is not known: how it begins"},
			{"suffix?", "string", "of a word that is not known: how it ends"},
			{"glob?", "boolean", "whether it holds characters that match file names"},
			{"many?", "boolean", "whether it may turn out as any number of words"},
			{"raw?", "string", "the word as it is written"},
			{"from", "integer[]", "the commands whose output is part of it, by their place in commands"},
		}},
		{Name: "dsh.shell.Option", Doc: "An option.", Fields: []Field{
			{"name", "string", "without its dashes"},
			{"value?", "dsh.shell.Word", "what it is given"},
			{"long?", "boolean", "whether it is more than a letter"},
		}},
		{Name: "dsh.shell.Assign", Doc: "An assignment.", Fields: []Field{
			{"name", "string", "the variable"},
			{"value", "dsh.shell.Word", ""},
			{"append?", "boolean", "whether it is +="},
		}},
		{Name: "dsh.shell.Redirect", Doc: "A redirection.", Fields: []Field{
			{"kind", "string", "\"read\", \"write\", \"append\", \"duplicate\" or \"here\""},
			{"fd?", "string", "the descriptor, if it is written; \"&\" for output and errors"},
			{"target", "dsh.shell.Word", "the file, the descriptor, or the text of a here-document"},
		}},
		{Name: "dsh.shell.Input", Doc: "A standard input.", Fields: []Field{
			{"kind", "string", "\"pipe\", \"here\" or \"file\""},
			{"text", "dsh.shell.Word", "what is read"},
			{"from", "integer[]", "the commands whose output is read, by their place in commands"},
		}},
		{Name: "dsh.shell.Code", Doc: "A program in another language.", Fields: []Field{
			{"language", "string", "such as \"python\", \"javascript\", \"perl\""},
			{"text", "dsh.shell.Word", ""},
		}},
		{Name: "dsh.shell.Place", Doc: "Where a text leads if it is a path.", Fields: []Field{
			{"text", "string", "the text"},
			{"path?", "string", "the absolute path by its text alone; of one with wild cards the folder that holds all that they match. Nil if the folder of the command is not known"},
			{"entry?", "string", "the path with the links on its way followed, but not one at its end: what rm removes"},
			{"real?", "string", "the path with all links followed: what cat reads"},
			{"glob?", "string", "the part with wild cards, which is not in path"},
		}},
	}
}
