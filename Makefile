SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO       ?= go
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
FUZZTIME ?= 30s
PROGRAMS ?= 20000

EXE    := $(shell $(GO) env GOEXE)

# A release carries its tag, another build its commit, so that programs of two builds can
# tell each other apart.
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)
STATIC   = CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags '-s -w -X github.com/dsh-lua/dsh/cmd/internal/console.version=$(VERSION)'

# The race detector needs a C compiler; a machine that has only Go tests without it.
RACE := $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)

# Each prints its goals and whether they are met.
BENCHES := policybench testbench pipebench loopbench hookbench runbench faultbench checkbench

# Written by `generate`, committed, and compared by `check`.
DERIVED := spec/schema/points.json spec/dsh.d.lua spec/points.md ':(glob)**/zz_*.go'

.PHONY: help run test build check lint tidy generate derived bench kill fuzz fuzz-lua

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## Put the example policies to calls captured from the real clients.
	$(GO) run ./spec/tour -dsh bin/dsh

test: ## Vet the code and run all tests, with the race detector.
	@test -n '$(RACE)' || echo 'no cgo, or no C compiler for it: the race detector is off'
	$(GO) vet ./...
	$(GO) vet -tags small ./cmd/dsh
	$(GO) test $(RACE) ./...

build: ## Build static binaries into bin/: dsh, which is the hook and hands the rest to dsh-full, and dsh-agent.
	$(STATIC) -o bin/dsh-full$(EXE) ./cmd/dsh
	$(STATIC) -o bin/dsh$(EXE) -tags small ./cmd/dsh
	$(STATIC) -o bin/dsh-agent$(EXE) ./cmd/dsh-agent

check: generate lint tidy derived ## What CI checks beside the tests: lint, tidiness, fresh derived files.

lint: ## Run the linters.
	$(GO) run $(GOLANGCI) run

tidy:
	$(GO) mod tidy -diff

generate: ## Rewrite everything derived from the declarations of the points.
	$(GO) generate ./...
	@mkdir -p spec/schema
	$(GO) run ./cmd/dsh spec schema  > spec/schema/points.json.new
	$(GO) run ./cmd/dsh spec luacats > spec/dsh.d.lua.new
	$(GO) run ./cmd/dsh spec points  > spec/points.md.new
	@for new in spec/schema/points.json.new spec/dsh.d.lua.new spec/points.md.new; do mv "$$new" "$${new%.new}"; done

derived: generate
	git diff --exit-code -- $(DERIVED)
	@new=$$(git ls-files --others --exclude-standard -- $(DERIVED)); test -z "$$new" || { echo "derived but not committed: $$new"; exit 1; }

bench: ## Time decisions, the agent loop and whole hook processes against other hooks; runs all and fails past any goal.
	$(GO) test -run '^$$' -bench . -benchmem -benchtime 200ms ./runtime/...
	@missed=; for bench in $(BENCHES); do \
		echo "$$bench"; $(GO) run ./bench/cmd/$$bench -check || missed="$$missed $$bench"; \
	done; test -z "$$missed" || { echo "goals missed:$$missed"; exit 1; }

kill: ## Kill a busy session 300 times, and a busy state 500 times, and look what is left of it.
	DSH_KILL_ROUNDS=300 $(GO) test -count=1 -run '^TestKill$$' -v ./runtime/agent
	DSH_KILL_ROUNDS=500 $(GO) test -count=1 -run '^TestKill$$' -v ./lua/stdlib/filestate

fuzz: ## Fuzz every target for FUZZTIME (30s each).
	@$(GO) list ./... | while read -r package; do \
		for target in $$($(GO) test -list '^Fuzz' "$$package" | grep '^Fuzz' || true); do \
			echo "== $$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$package" || exit 1; \
		done; \
	done

fuzz-lua: ## Compare PROGRAMS (20000) random Lua programs with a reference Lua on the PATH.
	$(GO) run ./runtime/luavm/internal/fuzzlua -n $(PROGRAMS)
