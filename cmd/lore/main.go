// Command lore finds again what people and their coding agents said to each other. This file is wiring only: it puts
// the world outside into a Program and runs it.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"lore/adapter/all"
	"lore/internal/face/cli"
	"lore/internal/face/mcp"
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
	collectLater(os.Getenv)
	return cli.Run(ctx, program(os.Args[1:], os.Stdout, os.Stderr, os.Getenv))
}

// collectLater lets the heap of a command that lives for milliseconds grow before it is collected: the runtime would
// start at 4 MB, several times in one search. An import sets bounds of its own; who sets GOGC is obeyed.
func collectLater(getenv func(string) string) {
	if getenv("GOGC") == "" && getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(128 << 20)
	}
}

// program puts the world outside into a run of the command.
func program(args []string, stdout, stderr io.Writer, getenv func(string) string) *cli.Program {
	home, _ := os.UserHomeDir() // a command that needs one says so
	return &cli.Program{
		Args:   args,
		Stdin:  os.Stdin,
		Stdout: stdout,
		Stderr: stderr,
		Getenv: getenv,
		GOOS:   runtime.GOOS,

		ServeMCP: serveMCP(os.Stdin, stdout),
		Service: service.Service{
			Home:     home,
			Env:      getenv,
			Adapters: all.Adapters(),
			Now:      time.Now,
			Zone:     time.Local,
			Build:    build(),
		},
	}
}

// serveMCP answers agents on the streams of the program, or on a port.
func serveMCP(stdin io.Reader, stdout io.Writer) cli.ServeMCP {
	return func(ctx context.Context, svc *service.Service, o cli.MCP) error {
		server := mcp.New(ctx, svc, mcp.Options{Reveal: o.Reveal, Except: o.Except, Refresh: o.Refresh})
		if o.HTTP == "" {
			return mcp.Stdio(ctx, server, stdin, stdout)
		}
		l, err := mcp.Listen(o.HTTP)
		if err != nil {
			return &service.Failure{Kind: service.Usage, Message: err.Error(), Err: err}
		}
		token := o.Token
		if token == "" {
			token = mcp.NewToken()
			o.Tell("token: " + token)
		}
		o.Tell("listening on http://" + l.Addr().String() + mcp.Path)
		return mcp.HTTP(ctx, l, mcp.Handler(server, token))
	}
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
