package group

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// secrets are patterns of the names of variables that hold credentials, or the
// way to use them. Names are compared in upper case.
var secrets = []string{
	"*TOKEN*", "*SECRET*", "*PASSWORD*", "*PASSWD*", "*PASSPHRASE*", "*CREDENTIAL*", "*_PASS", "PASS", "PGPASS*", "*_PWD",
	"*API_KEY*", "*APIKEY*", "*ACCESS_KEY*", "*PRIVATE_KEY*", "*SIGNING_KEY*", "*ENCRYPTION_KEY*", "*_KEY", "KEY", "*_KEYS",
	"*AUTH", "*_AUTH_*", "*AUTHORIZATION*", "*COOKIE*", "*SESSION_KEY*", "*JWT*", "*BEARER*", "*_PAT",
	"*DATABASE_URL*", "*_DSN", "*CONNECTION_STRING*", "*CONNSTR*", "*WEBHOOK*",
	"SSH_AUTH_SOCK", "SSH_AGENT_*", "GPG_AGENT_INFO", "AWS_*", "AZURE_*", "GOOGLE_APPLICATION_*", "KUBECONFIG", "DOCKER_CONFIG",
	"NETRC", "*_NETRC", "VAULT_*",
}

// credential finds what is one by its form, under whatever name: an address with
// a password in it, a private key, and the tokens of services that mark theirs. It
// is compiled when it is first needed.
var credential = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`://[^/@\s:]*:[^/@\s]+@|-----BEGIN [A-Z ]*PRIVATE KEY|` +
		`\b(?:gh[pousr]_|github_pat_|glpat-|xox[a-z]-|sk-|[rs]k_live_|npm_|pypi-|hf_|shp(?:at|ss)_|dop_v1_)[A-Za-z0-9_-]{16}|` +
		`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30}|\beyJ[A-Za-z0-9_-]+\.eyJ[A-Za-z0-9_-]+\.`)
})

// Scrub returns env without the variables that hold credentials: by the pattern
// of their name, or by the form of their value.
// Variables named in keep stay.
func Scrub(env, keep []string) []string {
	out := make([]string, 0, len(env))
	for _, pair := range env {
		name, text, _ := strings.Cut(pair, "=")
		if slices.Contains(keep, name) || !secret(name) && !credential().MatchString(text) {
			out = append(out, pair)
		}
	}
	return out
}

func secret(name string) bool {
	name = strings.ReplaceAll(strings.ToUpper(name), "/", "_") // which no pattern would match
	return slices.ContainsFunc(secrets, func(pattern string) bool {
		match, err := path.Match(pattern, name)
		return match || err != nil
	})
}
