// Command tour shows dsh at work: it puts policies to the calls that real
// clients made, and prints what was decided, by which rule, at which line.
//
//	go run ./spec/tour [-dsh FILE] [-payloads FOLDER] [-policies GLOB]
//
// The payloads are those captured from the clients, byte for byte but for the
// folders, which are filled in. After them come the same payloads with other
// commands and files in them, because nobody captured a disaster. The exit
// status is 1 if dsh failed on any of them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
)

type options struct {
	dsh      string // the binary that judges
	payloads string // the folder that holds <client>/payloads/<event>.json
	policies string // a glob of policy files
}

func main() {
	var opts options
	flag.StringVar(&opts.dsh, "dsh", "bin/dsh", "the dsh binary")
	flag.StringVar(&opts.payloads, "payloads", "spec/dialects", "the folder of captured payloads")
	flag.StringVar(&opts.policies, "policies", "extensions/examples/*/policy.lua", "the policies to put to them")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := tour(ctx, opts, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "tour:", err)
		os.Exit(1)
	}
}

func tour(ctx context.Context, opts options, out io.Writer) error {
	policies, err := filepath.Glob(opts.policies)
	if err != nil {
		return err
	}
	if len(policies) == 0 {
		return errors.New("no policies match " + opts.policies)
	}
	captured, err := readCaptures(opts.payloads)
	if err != nil {
		return err
	}
	varied, err := vary(captured)
	if err != nil {
		return err
	}
	judge := evaluator{dsh: opts.dsh, policies: policies}
	count := tally{}
	for _, part := range []struct {
		title string
		calls []call
	}{{"captured", captured}, {"the same with other commands and files", varied}} {
		fmt.Fprintf(out, "%s:\n\n", part.title)
		if err := show(ctx, out, judge, part.calls, count); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, count)
	if count[fault] > 0 {
		return errors.New("dsh failed on some payloads")
	}
	return nil
}
