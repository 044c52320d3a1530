package spec_test

type loopCase struct{ ID string }
