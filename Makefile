# The six commands of a day's work. Each is a plain go command: nothing here is needed to build or test lore.

GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

# The folders whose tests run the contract suite: these have goldens too.
ADAPTERS = $(filter-out ./adapter/all/ ./adapter/kit/,$(addprefix ./,$(sort $(dir $(wildcard adapter/*/*_test.go)))))

.PHONY: build test golden bench soak check

# The static binary, in bin/.
build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/lore ./cmd/lore

test:
	$(GO) test ./...

# Writes the golden files anew from what the code says now. Read the diff before you commit it.
golden:
	$(GO) test . ./internal/face/cli ./cmd/lore $(ADAPTERS) -update

bench:
	$(GO) test -run '^$$' -bench . -benchtime 200ms ./...

# Thousands of random steps against a model, kills at every commit among them: make soak DURATION=10m
DURATION ?= 1h
soak:
	LORE_SOAK=$(DURATION) $(GO) test ./internal/service -run 'TestSoak|TestDiesAtEveryCommit|TestDiskFullAtAnyPoint|TestCheckFindsEveryPlantedFault' -v -timeout 0

# Everything that the build machine runs.
check:
	.ci/run
