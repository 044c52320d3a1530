package report_test

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dsh-lua/dsh/cmd/internal/report"
	"github.com/dsh-lua/dsh/runtime/script/scripttest"
	"github.com/dsh-lua/dsh/runtime/value"
)

// sample has one of everything, with characters that formats have to write in
// another way.
func sample() scripttest.Report {
	return scripttest.Report{Took: 1500 * time.Millisecond, Files: []scripttest.File{
		{Path: "a_test.lua", Left: 2, Took: 12 * time.Millisecond, Warnings: []string{"doubtful"}, Tests: []scripttest.Test{
			{Path: []string{"group", "good"}, At: "a_test.lua:3", Took: 40 * time.Microsecond},
			{Path: []string{"it's <bad> & #1"}, At: "a_test.lua:5", Log: []string{"a.lua:1: seen"}, Failure: &scripttest.Failure{
				At: "a_test.lua:6", Text: "another answer", Diff: []string{"- \"ask\"", "+ deny\x1b", "  same"}, Notes: []string{"got deny\nand more"},
			}},
		}},
		{Path: "b_test.lua", Fault: &scripttest.Failure{Text: "the file has no tests"}},
	}}
}

func covered() *scripttest.Coverage {
	return &scripttest.Coverage{
		Files: []scripttest.Covered{{
			Path: "a.lua", Source: "local x = 1\nif x > 1 then\n  x = \"<\"\nend\n\nreturn x\n",
			Lines:    map[int]int64{1: 2, 2: 2, 3: 0, 6: 2},
			Branches: []scripttest.Branch{{Line: 2, True: 0, False: 2}},
		}},
		Rules: []scripttest.Rule{{Name: "loud", At: "a.lua:1", Spoke: 3}, {Name: "mute", At: "a.lua:2"}},
	}
}

func write(t *testing.T, format string, o report.Options) string {
	t.Helper()
	var b strings.Builder
	o.Command = "dsh test"
	require.NoError(t, report.Formats()[format](&b, sample(), o))
	return b.String()
}

func TestText(t *testing.T) {
	text := write(t, "text", report.Options{Seed: "7", Coverage: covered()})
	for _, want := range []string{
		"FAIL a_test.lua  2 tests, 1 failed, 2 left out  12ms\n  warning: doubtful\n",
		"\n  ✗ it's <bad> & #1\n    a_test.lua:6: another answer\n      - \"ask\"\n",
		"    got deny\n    and more\n    log: a.lua:1: seen\n",
		`    again: dsh test a_test.lua --run '^it'\''s <bad> & #1$' --shuffle=7`,
		"FAIL b_test.lua  0 tests  0s\n  the file has no tests\n",
		"      + deny\\x1b\n",
		"1 passed, 2 failed, 2 left out  1.5s  order 7\n",
		"  66.7%     3/4       1/2  a.lua\n          never ran: lines 3\n          line 2: never true\n",
		"no test makes rule mute speak  (a.lua:2)\n",
	} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "good", "what passes is named only on request")
	require.Contains(t, write(t, "text", report.Options{Verbose: true}), "  ✓ group > good  40µs\n")
	require.Contains(t, write(t, "text", report.Options{Colour: true}), "\x1b[31mFAIL\x1b[0m a_test.lua")
}

func TestJSON(t *testing.T) {
	doc, err := value.Parse([]byte(write(t, "json", report.Options{Coverage: covered()})))
	require.NoError(t, err)
	require.Equal(t, "2", doc.Get("failed").String())
	bad := doc.Get("files").At(0).Get("tests").At(1)
	require.Equal(t, "another answer", bad.Get("failure").Get("text").String())
	require.Equal(t, "the file has no tests", doc.Get("files").At(1).Get("fault").Get("text").String())
	require.Equal(t, "mute", doc.Get("coverage").Get("rules").At(1).Get("name").String())
}

// TestJSONIsDescribed holds the page of dsh test to the members of the report.
func TestJSONIsDescribed(t *testing.T) {
	page, err := os.ReadFile("../../../docs/reference/test.md")
	require.NoError(t, err)
	_, formats, found := strings.Cut(string(page), "\n## Formats\n")
	require.True(t, found)
	var describe func(v value.Value)
	describe = func(v value.Value) {
		for _, item := range v.Items() {
			describe(item)
		}
		for key, member := range v.Members() {
			require.Contains(t, formats, "`"+key+"`")
			describe(member)
		}
	}
	doc, err := value.Parse([]byte(write(t, "json", report.Options{Seed: "7", Coverage: covered()})))
	require.NoError(t, err)
	describe(doc)
}

func TestJUnit(t *testing.T) {
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Cases []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Text string `xml:",chardata"`
				} `xml:"failure"`
				Error *struct {
					Message string `xml:"message,attr"`
				} `xml:"error"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal([]byte(write(t, "junit", report.Options{})), &suites))
	require.Equal(t, 3, suites.Tests)
	require.Equal(t, 1, suites.Failures)
	require.Equal(t, "it's <bad> & #1", suites.Suites[0].Cases[1].Name)
	require.Contains(t, suites.Suites[0].Cases[1].Failure.Text, "+ deny\n")
	require.Equal(t, "the file has no tests", suites.Suites[1].Cases[0].Error.Message)
}

// junit says which attributes and elements each element of JUnit's XML may have, as
// build servers read it: an attribute that ends in ! has to be there.
var junit = map[string]struct{ attributes, within string }{
	"testsuites": {"name time tests failures errors disabled", ""},
	"testsuite":  {"name! tests! failures! errors! time skipped disabled timestamp hostname id package", "testsuites"},
	"testcase":   {"name! classname! time assertions status", "testsuite"},
	"failure":    {"message type", "testcase"},
	"error":      {"message type", "testcase"},
	"system-out": {"", "testcase"},
}

func TestJUnitHasNothingElse(t *testing.T) {
	decoder := xml.NewDecoder(strings.NewReader(write(t, "junit", report.Options{})))
	open := []string{""}
	seen := map[string]bool{}
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			known, ok := junit[token.Name.Local]
			require.True(t, ok, token.Name.Local)
			require.Equal(t, known.within, open[len(open)-1])
			var names []string
			for _, a := range token.Attr {
				names = append(names, a.Name.Local)
			}
			for _, name := range strings.Fields(known.attributes) {
				if name, required := strings.CutSuffix(name, "!"); required {
					require.Contains(t, names, name)
				}
			}
			require.Subset(t, strings.Fields(strings.ReplaceAll(known.attributes, "!", "")), names)
			open, seen[token.Name.Local] = append(open, token.Name.Local), true
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
	require.Len(t, seen, len(junit), "the sample has one of each")
}

func TestTAP(t *testing.T) {
	lines := strings.Split(write(t, "tap", report.Options{}), "\n")
	require.Equal(t, "TAP version 13", lines[0])
	require.Equal(t, "1..3", lines[1])
	require.Contains(t, lines, "ok 1 - a_test.lua: group > good")
	require.Contains(t, lines, `not ok 2 - a_test.lua: it's <bad> & \#1`)
	require.Contains(t, lines, "not ok 3 - b_test.lua")
	point := regexp.MustCompile(`^(?:not )?ok (\d+) - ((?:[^#\\]|\\.)*)$`) // a bare # would begin a directive
	n := 0
	for _, line := range lines[2 : len(lines)-1] {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		n++
		found := point.FindStringSubmatch(line)
		require.NotNil(t, found, line)
		require.Equal(t, strconv.Itoa(n), found[1], "points are counted from 1 without a gap")
	}
	require.Equal(t, "1.."+strconv.Itoa(n), lines[1])
}

func TestLCOV(t *testing.T) {
	var b strings.Builder
	require.NoError(t, report.LCOV(&b, *covered()))
	require.Equal(t, "TN:\nSF:a.lua\nBRDA:2,0,0,0\nBRDA:2,0,1,2\nBRF:2\nBRH:1\nDA:1,2\nDA:2,2\nDA:3,0\nDA:6,2\nLF:4\nLH:3\nend_of_record\n", b.String())
}

func TestHTML(t *testing.T) {
	var b strings.Builder
	require.NoError(t, report.HTML(&b, *covered()))
	for _, want := range []string{`<tr class="missed"><td>rule mute`, `<span class="missed"><span class="n">3 ×0</span>  x = &quot;&lt;&quot;</span>`, `<span class="half"><span class="n">2 ×2`} {
		require.Contains(t, b.String(), want)
	}
}
