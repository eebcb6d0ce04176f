// Command lore finds again what people and their coding agents said to each other. This file is wiring only: it puts
// the world outside into a Program and runs it.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"lore/adapter/all"
	"lore/internal/face/cli"
	"lore/internal/service"
)

// version is set by the linker of a release build.
var version string

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first interrupt ends the work cleanly, a second one at once.
	context.AfterFunc(ctx, stop)
	ignoreClosedPipe()
	p, err := program(os.Args[1:], os.Stdout, os.Stderr, os.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, "lore: "+err.Error())
		return 70
	}
	return cli.Run(ctx, p)
}

// program puts the world outside into a run of the command.
func program(args []string, stdout, stderr io.Writer, getenv func(string) string) (*cli.Program, error) {
	adapters, err := all.Adapters()
	if err != nil {
		return nil, fmt.Errorf("this build is broken: %w", err)
	}
	home, _ := os.UserHomeDir() // a command that needs one says so
	return &cli.Program{
		Args:   args,
		Stdout: stdout,
		Stderr: stderr,
		Getenv: getenv,
		GOOS:   runtime.GOOS,
		Service: service.Service{
			Home:     home,
			Env:      getenv,
			Adapters: adapters,
			Now:      time.Now,
			Zone:     time.Local,
			Build:    build(),
		},
	}, nil
}

// build returns the version of the program: the linker's, else that of the module, else "dev".
func build() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}
