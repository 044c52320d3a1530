package lint

// A Kind is one kind of finding. Its ID is stable: comments, options and reports
// name it.
type Kind struct {
	ID       string
	Severity Severity
	// Title says in a few words what is wrong.
	Title string
	// Doc says why it matters, for the reference page.
	Doc string
	// Bad is a file that has a finding of this kind.
	Bad string
	// Fix says what the fix does; empty if there is none.
	Fix string
}

// Kinds returns all kinds of findings, in the order of the reference page.
func Kinds() []Kind {
	var all []Kind
	for _, g := range Groups() {
		all = append(all, g.Kinds...)
	}
	return all
}

// A Group is a part of the reference page.
type Group struct {
	Title string
	Kinds []Kind
}

// Groups returns all kinds by what they are about.
func Groups() []Group {
	return []Group{
		{"Names", nameKinds()},
		{"Registrations", registrationKinds()},
		{"Answers", answerKinds()},
		{"Code", codeKinds()},
		{"Texts", textKinds()},
		{"Cost", costKinds()},
	}
}

func kindIDs() []string {
	var ids []string
	for _, k := range Kinds() {
		ids = append(ids, k.ID)
	}
	return ids
}
