// Package group ends what a child process has started: its group, its session,
// its descendants, and processes that can only be told by what they hold. It
// also removes credentials from the environment that a child is given.
//
// Only Linux shows enough of other processes to find those that left the group
// of the child; elsewhere they are left alone.
package group
