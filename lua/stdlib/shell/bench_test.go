package shell

import "testing"

// BenchmarkPipeline reads and walks a line of 140 bytes.
func BenchmarkPipeline(b *testing.B) {
	line := `git log --oneline --author="A B" -n 200 -- src/runtime/engine docs/reference | grep -v 'Merge branch' | sort -u | head -30 > /tmp/changes-log.txt`
	if len(line) < 140 {
		b.Fatal(len(line))
	}
	var p Parser
	opts := Options{Cwd: "/home/dev/app", Home: "/home/dev"}
	b.ReportAllocs()
	for b.Loop() {
		if got := p.Parse(line, opts); len(got.Commands) != 4 {
			b.Fatal(got)
		}
	}
}

// BenchmarkList reads and walks a list of ten commands in 145 bytes.
func BenchmarkList(b *testing.B) {
	line := `cd packages/ui && git log --oneline --grep='a && b' | head -30 | grep -v "x y" | sort -u | xargs -n1 echo > out.txt; rm -rf ./dist && ls -la src/`
	var p Parser
	opts := Options{Cwd: "/home/dev/app", Home: "/home/dev"}
	b.ReportAllocs()
	for b.Loop() {
		p.Parse(line, opts)
	}
}
