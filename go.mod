module github.com/dsh-lua/dsh

go 1.26
