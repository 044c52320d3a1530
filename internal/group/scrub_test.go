package group_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/internal/group"
)

func TestScrub(t *testing.T) {
	kept := []string{"PATH=/bin", "HOME=/home/dev", "PWD=/x", "OLDPWD=/y", "LANG=C", "GOFLAGS=-mod=mod", "KEYBOARD=us", "AUTHOR=me", "URL=https://example.com/a:b@c", "EDITOR=vi"}
	gone := []string{
		"GITHUB_TOKEN=x", "aws_secret_access_key=x", "DB_PASSWORD=x", "OPENAI_API_KEY=x", "MY_KEY=x", "NPM_CONFIG__AUTH=x", "AWS_PROFILE=x",
		"DATABASE_URL=x", "SSH_AUTH_SOCK=/tmp/s", "HTTPS_PROXY=http://me:secret@proxy:80", "SENTRY_DSN=x", "MYSQL_PWD=x", "a/SECRET=x",
	}
	require.Equal(t, kept, group.Scrub(append(append([]string{}, kept...), gone...), nil))
	require.Equal(t, []string{"GITHUB_TOKEN=x"}, group.Scrub(gone, []string{"GITHUB_TOKEN"}))
	for _, pair := range gone {
		require.Empty(t, group.Scrub([]string{pair}, nil), pair)
	}
}
