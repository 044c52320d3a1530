// Package lint finds mistakes in policies without running them.
//
// [Check] reads one file and returns what is wrong with it: each [Finding] has the
// stable name of its [Kind], a place, a message, mostly a hint, and where it can be
// mended without a doubt a [Fix]. The kinds are data ([Kinds]): their severity,
// what they mean and an example of each, from which the reference page is made.
//
// The package knows no extension point by name. What may be read, answered and
// filtered comes from the descriptors of the points that it is given, the modules
// from the registry of the standard library, and the language from the compiler.
//
// # How a file is read
//
// The compiler judges the syntax. What it takes is read again into a tree with
// exact places ([tree.Parse]). Then the types of expressions are inferred as far as
// that is certain: from the point that a handler is attached to, from its filter,
// from require, and through locals that are assigned once and local functions all
// of whose calls are known. What is not certain is unknown, and nothing is said
// about it. At last the file is loaded as a host would load it, in the sandbox,
// which finds what is computed.
//
// # Exceptions
//
// A comment "-- dsh: ignore ID" drops the findings of that kind on its line, or on
// the next one if it stands alone; at the first line of the file, in the whole
// file. One that drops nothing is a finding itself.
package lint
