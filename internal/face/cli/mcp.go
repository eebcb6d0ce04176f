package cli

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"lore/internal/service"
)

// MCP says how a server for agents runs.
type MCP struct {
	HTTP    string   // address on the loopback interface; empty: standard input and output
	Token   string   // that a caller over HTTP has to know; empty: a new one is made and told
	Except  []string // conversations that no answer is from
	Reveal  bool     // credentials are handed over as they are
	Refresh bool     // import what is new in the background
	Tell    func(line string)
}

func (p *Program) mcpCommand() *cobra.Command {
	var o MCP
	var tokenFile string
	var noImport bool
	cmd := &cobra.Command{
		Use:     "mcp",
		Short:   "Answer agents over the Model Context Protocol",
		GroupID: find,
		Long: `Serves search, recall and reading to an agent over MCP, on standard input and output; with --http on a port of this
machine alone, for callers that send its token. ` + "`lore install`" + ` writes it into an agent's configuration. docs/MCP.md
tells every tool.`,
		Example: `  lore mcp
  lore mcp --http 127.0.0.1:7717
  lore mcp --http 127.0.0.1:7717 --token-file ~/.lore-token`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			if p.ServeMCP == nil {
				return usage("this build has no MCP server")
			}
			o.Token = p.Getenv("LORE_MCP_TOKEN")
			if tokenFile != "" {
				if o.Token, err = readToken(tokenFile); err != nil {
					return err
				}
			}
			o.Refresh = !noImport
			o.Tell = p.remark
			return p.ServeMCP(cmd.Context(), svc, o)
		},
	}
	set := cmd.Flags()
	set.StringVar(&o.HTTP, "http", "", "listen on this loopback `address` instead of standard input")
	set.StringVar(&tokenFile, "token-file", "", "read the token for --http from this `file` (also LORE_MCP_TOKEN); else one is made")
	set.StringArrayVar(&o.Except, "except", nil, "leave out this `conversation` from every answer: an id, a source's own id, or the path of a transcript")
	set.BoolVar(&o.Reveal, "no-redact", false, "hand over credentials as they stand in the text")
	set.BoolVar(&noImport, "no-import", false, "do not import what is new in the background")
	return cmd
}

// ServeMCP is a server for agents: wiring puts it into a Program.
type ServeMCP func(ctx context.Context, svc *service.Service, o MCP) error

// readToken reads a token from a file that nobody else may read.
func readToken(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", usage("cannot read the token: %v", err)
	}
	token := strings.TrimSpace(string(b))
	if len(token) < 16 {
		return "", usage("the token in %q is too short: write at least 16 characters, such as `openssl rand -hex 32` prints", path)
	}
	return token, nil
}
