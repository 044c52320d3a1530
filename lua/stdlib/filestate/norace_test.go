//go:build !race

package filestate_test

// damagedPages is how many files with pages that were changed at random are tried.
const damagedPages = 40
