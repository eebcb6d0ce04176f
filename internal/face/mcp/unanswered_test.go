package mcp

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestStdioAnswersWhatWasPipedIn: a client that has closed its side gets the answers to all that it asked before.
func TestStdioAnswersWhatWasPipedIn(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"slow","arguments":{}}}` + "\n"
	const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}` + "\n"
	for name, tt := range map[string]struct {
		lines string
		want  []string
	}{
		"calls":           {fmt.Sprintf(call, "2") + fmt.Sprintf(call, `"three"`), []string{`"id":2`, `"id":"three"`}},
		"another writing": {fmt.Sprintf(call, "4.0"), []string{`"id":4`}},
		"no end of line":  {strings.TrimSpace(fmt.Sprintf(call, "5")), []string{`"id":5`}},
		"taken back":      {fmt.Sprintf(call, "6") + fmt.Sprintf(cancel, "6") + ping, []string{`"id":9`}},
		"no request":      {ready, nil},
	} {
		t.Run(name, func(t *testing.T) {
			server := sdk.NewServer(&sdk.Implementation{Name: "lore", Version: "1"}, nil)
			sdk.AddTool(server, &sdk.Tool{Name: "slow"}, func(ctx context.Context, _ *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
				select {
				case <-ctx.Done():
				case <-time.After(100 * time.Millisecond):
				}
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil, nil
			})
			var out bytes.Buffer
			began := time.Now()
			if err := Stdio(context.Background(), server, strings.NewReader(fmt.Sprintf(helloOf, "2025-06-18")+ready+tt.lines), &out); err != nil {
				t.Error(err)
			}
			if time.Since(began) >= lastAnswers {
				t.Error("it waited for an answer that does not come")
			}
			for _, want := range append(tt.want, `"id":1`) {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no answer %s in\n%s", want, out.String())
				}
			}
		})
	}
}
