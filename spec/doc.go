// Package spec is what dsh promises, in a form that is checked: documents, and
// cases with their right outcomes. It holds no code but tests.
//
//   - points.md, schema/points.json, dsh.d.lua: the extension points, for people,
//     for other programs and for editors; derived from their declarations.
//   - cases: for every point, what policies answer and what comes of it.
//   - sandbox: attacks on the Lua machine, and what counts as safe.
//   - dialects: what real clients gave to their hooks. The tour, which make run
//     starts, puts the example policies to it.
//   - deviations.md: the recorded cases that dsh answers otherwise on purpose.
//   - rationale.md: why things are as they are.
//
// One kind of recorded cases is run by
//
//	go test -count=1 -v ./spec -run TestCases/NAME
//
// which prints one line, "NAME: N passed, N failed, N deviations, N not
// applicable", and below it why those are not, and what differs. DSH_CASES_DIR
// names another folder of the same layout to take the cases from. A folder without
// cases of that name is a failure: nothing passes by not being there.
package spec
