package tools

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// replaceFile gives the file at path its content, whole or not at all: it is
// written beside it and then takes its place, with the same permissions. Another
// name of the same file keeps the old content. path must not be a link.
func replaceFile(path, content string) (created bool, err error) {
	mode, owner, err := replaceable(path)
	if created = errors.Is(err, fs.ErrNotExist); err != nil && !created {
		return false, err
	}
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	beside := filepath.Join(filepath.Dir(path), ".dsh-"+hex.EncodeToString(id[:])+".tmp")
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return false, err
	}
	if err = fill(f, content, created, mode, owner); err == nil {
		err = os.Rename(beside, path)
	}
	if err != nil {
		return false, errors.Join(err, os.Remove(beside))
	}
	return created, nil
}

// replaceable returns the permissions and the owner of an existing file. A file
// that may not be written is not replaced either.
func replaceable(path string) (fs.FileMode, any, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return 0, nil, err
	case info.IsDir():
		return 0, nil, fmt.Errorf("%s is a folder", path)
	case !info.Mode().IsRegular():
		return 0, nil, fmt.Errorf("%s is no regular file", path)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return 0, nil, err
	}
	return info.Mode(), info.Sys(), f.Close()
}

// fill writes the file that takes another one's place, and closes it.
func fill(f *os.File, content string, created bool, mode fs.FileMode, owner any) error {
	_, err := f.WriteString(content)
	if err == nil && !created {
		giveTo(f, owner)
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync() // the name must not come to point to an empty file
	}
	return errors.Join(err, f.Close())
}
