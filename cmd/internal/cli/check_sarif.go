package cli

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/dsh-lua/dsh/runtime/script/lint"
)

// level is the word of SARIF for a severity.
func level(s lint.Severity) string {
	switch s {
	case lint.Error:
		return "error"
	case lint.Warning:
		return "warning"
	case lint.Hint:
		return "note"
	}
	return "none"
}

// The parts of SARIF 2.1.0 that a report has.
type (
	sarifLog struct {
		Version string     `json:"version"`
		Schema  string     `json:"$schema"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   string      `json:"id"`
		ShortDescription     sarifText   `json:"shortDescription"`
		FullDescription      sarifText   `json:"fullDescription"`
		DefaultConfiguration sarifConfig `json:"defaultConfiguration"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		Fixes     []sarifFix      `json:"fixes,omitempty"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPlace `json:"physicalLocation"`
	}
	sarifPlace struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
	sarifFix struct {
		Description     sarifText     `json:"description"`
		ArtifactChanges []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		ArtifactLocation sarifArtifact      `json:"artifactLocation"`
		Replacements     []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		DeletedRegion   sarifBytes `json:"deletedRegion"`
		InsertedContent sarifText  `json:"insertedContent"`
	}
	sarifBytes struct {
		ByteOffset int `json:"byteOffset"`
		ByteLength int `json:"byteLength"`
	}
)

// sarif prints a log for code scanning. Columns are counted in code points there.
func (r *checkReport) sarif(out io.Writer) error {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "dsh check", InformationURI: "https://github.com/dsh-lua/dsh", Rules: []sarifRule{}}},
		ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
	}
	index := map[string]int{}
	for i, k := range lint.Kinds() {
		index[k.ID] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{k.ID, sarifText{k.Title}, sarifText{k.Doc}, sarifConfig{level(k.Severity)}})
	}
	for _, f := range r.Files {
		for _, finding := range f.findings {
			run.Results = append(run.Results, sarifFinding(f, finding, index[finding.ID]))
		}
	}
	return encode(out, sarifLog{"2.1.0", "https://json.schemastore.org/sarif-2.1.0.json", []sarifRun{run}})
}

func sarifFinding(file checkedFile, f lint.Finding, index int) sarifResult {
	at := sarifArtifact{(&url.URL{Path: filepath.ToSlash(f.File)}).String()}
	text := f.Message
	if f.Hint != "" {
		text += " (" + f.Hint + ")"
	}
	lines := strings.Split(file.source, "\n")
	region := sarifRegion{f.Line, points(lines, f.Line, f.Column), f.EndLine, points(lines, f.EndLine, f.EndColumn)}
	result := sarifResult{f.ID, index, level(f.Severity), sarifText{text}, []sarifLocation{{sarifPlace{at, region}}}, nil}
	if f.Fix != nil {
		change := sarifChange{ArtifactLocation: at}
		for _, e := range f.Fix.Edits {
			change.Replacements = append(change.Replacements, sarifReplacement{sarifBytes{e.From, e.To - e.From}, sarifText{e.Text}})
		}
		result.Fixes = []sarifFix{{sarifText{f.Fix.Title}, []sarifChange{change}}}
	}
	return result
}

// points is a column in code points.
func points(lines []string, line, column int) int {
	if line > len(lines) {
		return column
	}
	text := lines[line-1]
	return 1 + len([]rune(text[:min(column-1, len(text))]))
}
