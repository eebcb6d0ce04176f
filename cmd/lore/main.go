// Command lore finds again what people and their coding agents said to each other. This file is wiring only: it puts
// the world outside into a Program and runs it.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

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

	home, _ := os.UserHomeDir() // a command that needs one says so
	return cli.Run(ctx, &cli.Program{
		Args:   os.Args[1:],
		Stdout: os.Stdout,
		Stderr: os.Stderr,
		Getenv: os.Getenv,
		GOOS:   runtime.GOOS,
		Service: service.Service{
			Home:  home,
			Env:   os.Getenv,
			Now:   time.Now,
			Zone:  time.Local,
			Build: build(),
		},
	})
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
