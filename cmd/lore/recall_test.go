package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lore/internal/face/mcp"
	"lore/internal/text"
)

// told is an invented session: what a person asked, what was answered, asked, answered.
type told struct {
	project string
	said    []string
}

var sessions = []told{
	{"shop/checkout", []string{"The coupon field accepts the same voucher again and again.", "The redeemed flag was written after the mail went out. I moved the write into the lock and added a unique constraint on coupon_id and order_id."}},
	{"shop/checkout", []string{"Our nightly export to the warehouse misses the orders of the last hour.", "The job reads the replica, which lags by up to 50 minutes after the vacuum. I let it wait until pg_last_wal_replay_lsn has passed the start of the run."}},
	{"shop/search", []string{"Typing in the search box makes the tab freeze.", "Each keystroke built the suggestion index anew. I build it once in a web worker and debounce by 120 ms.", "Does that hold for 20,000 products?", "Yes: 9 ms a keystroke in the profile."}},
	{"shop/search", []string{"Results for ü and ue differ, why?", "The analyser folded accents but the query did not. Both run through the same german_normalization filter now."}},
	{"ops/cluster", []string{"The API pods get OOMKilled every few hours.", "The metrics library keeps a histogram per URL, and ids are in the URL. I group by route template; memory is flat at 180 MB."}},
	{"ops/cluster", []string{"Certificates on the ingress ran out last night.", "cert-manager could not solve the challenge because the firewall drops port 80. I switched the issuer to DNS-01 with the cloud zone."}},
	{"ops/cluster", []string{"How do we roll the secrets of the registry?", "I wrote scripts/roll-registry.sh: it makes the new pull secret, patches the service accounts and deletes the old one after 10 minutes."}},
	{"lib/parser", []string{"The fuzzer found a stack overflow on nested brackets.", "parse_group recursed without a bound. I added MAX_DEPTH = 512 and return Error::TooDeep."}},
	{"lib/parser", []string{"error[E0597]: `buf` does not live long enough", "The iterator borrows the local buffer. I return an owned Vec<u8> from read_frame instead."}},
	{"lib/parser", []string{"Can we make the tokenizer quicker?", "memchr for the delimiter search and a table of byte classes: from 210 to 690 MB/s on the corpus."}},
	{"app/mobile", []string{"Push messages do not arrive on old Android devices.", "They lack the notification channel that we create only from API 26 on; the builder threw. I guard the channel and use the compat class."}},
	{"app/mobile", []string{"The photo upload turns pictures by 90 degrees.", "The EXIF orientation is dropped when we scale. I read it before and rotate the bitmap."}},
	{"ml/ranker", []string{"Offline the model looks great, online it is worse than the baseline.", "The click log was joined by day, so features of the evening leaked into the morning. I join as of the time of the impression; offline AUC fell from 0.93 to 0.81, which matches online."}},
	{"ml/ranker", []string{"训练到一半 loss 变成 NaN。", "学习率预热太短，混合精度下梯度溢出。预热改为 2000 步，并打开动态损失缩放。"}},
	{"home/setup", []string{"git asks for my passphrase on every pull.", "The agent was started per shell. I start ssh-agent once through systemd --user and export SSH_AUTH_SOCK."}},
	{"home/setup", []string{"Which flags did we settle on for rsync of the photo archive?", "rsync -aHAX --numeric-ids --delete-delay --partial-dir=.rsync, and the dry run first."}},
}

// asked is a question with the words that its answer must hold; none: nothing that was said answers it.
type asked struct{ question, fact string }

var questions = []asked{
	{"why could a discount code be used more than once", "unique constraint on coupon_id"},
	{"export to the warehouse misses orders", "pg_last_wal_replay_lsn"},
	{"browser hangs while the user types a query", "web worker"},
	{"german_normalization", "The analyser folded accents"},
	{"umlauts are not matched alike in the search", "german_normalization"},
	{"service killed because it runs out of memory", "group by route template"},
	{"TLS expired on the ingress", "DNS-01"},
	{"scripts/roll-registry.sh", "patches the service accounts"},
	{"rotate the pull secret", "roll-registry"},
	{"crash of the parser on deeply nested input", "MAX_DEPTH = 512"},
	{"error[E0597]: `buf` does not live long enough", "owned Vec<u8>"},
	{"what did we do for the speed of the tokenizer", "memchr"},
	{"notifications are not shown on old phones", "notification channel"},
	{"uploaded images are rotated", "EXIF orientation"},
	{"why was the offline metric too good", "time of the impression"},
	{"loss NaN 混合精度", "2000 步"},
	{"ssh-agent through systemd", "SSH_AUTH_SOCK"},
	{"--delete-delay", "--numeric-ids"},
	{"rsync flags for the photos", "--partial-dir"},
	{"how many products did we try the suggestions with", "9 ms a keystroke"},
	{"kafka consumer offsets reset by the broker", ""},
	{"internal/billing/vat_rates.go", ""},
	{"welche Farbe hat das Logo bekommen", ""},
	{"SAML assertion audience mismatch", ""},
}

// write puts the sessions into a home as Claude Code does.
func (m *machine) write(t *testing.T, all []told) (bytes int) {
	t.Helper()
	for i, s := range all {
		native := fmt.Sprintf("5d1f0c3a-0000-4000-8000-%012d", i)
		var b strings.Builder
		for k, words := range s.said {
			kind, parent := "user", any(nil)
			message := any(map[string]any{"role": "user", "content": words})
			if k%2 == 1 {
				kind = "assistant"
				message = map[string]any{"id": fmt.Sprintf("msg_%d_%d", i, k), "type": "message", "role": "assistant", "model": "m",
					"content": []any{map[string]any{"type": "text", "text": words}}}
			}
			if k > 0 {
				parent = fmt.Sprintf("%s-%d", native, k-1)
			}
			line := must(json.Marshal(map[string]any{"type": kind, "uuid": fmt.Sprintf("%s-%d", native, k), "parentUuid": parent, "sessionId": native,
				"cwd": "/home/dev/" + s.project, "timestamp": fmt.Sprintf("2026-02-%02dT10:%02d:00.000Z", i+1, k), "message": message}))
			b.Write(append(line, '\n'))
		}
		file := filepath.Join(m.home, ".claude/projects", strings.ReplaceAll("-home-dev-"+s.project, "/", "-"), native+".jsonl")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		bytes += b.Len()
	}
	return bytes
}

// TestRecallCost: an answer takes few tokens, holds the fact, and says when there is none. -v prints each question.
func TestRecallCost(t *testing.T) {
	m := &machine{home: t.TempDir(), dir: filepath.Join(t.TempDir(), "lore")}
	m.write(t, sessions)
	c := m.client(t, mcp.Options{})
	var cost []int
	facts, withFact, silent, without := 0, 0, 0, 0
	for _, q := range questions {
		words, structured, failed := ask(t, c, "recall", map[string]any{"task": q.question})
		if failed {
			t.Fatalf("%s: %s", q.question, words)
		}
		if q.fact == "" {
			without++
			if structured["relevant"] == false {
				silent++
			}
			t.Logf("relevant %-5v %4d tokens: %s", structured["relevant"], text.Tokens(words), q.question)
			continue
		}
		tokens := max(text.Tokens(words), text.Tokens(string(must(json.Marshal(structured)))))
		cost = append(cost, tokens)
		withFact++
		if strings.Contains(words, q.fact) {
			facts++
		}
		t.Logf("fact %-5v %4d tokens: %s", strings.Contains(words, q.fact), tokens, q.question)
	}
	slices.Sort(cost)
	median := cost[len(cost)/2]
	t.Logf("%d of %d facts, %d tokens in the median, %d at most; %d of %d said to be unknown", facts, withFact, median, cost[len(cost)-1], silent, without)
	if median > 400 || cost[len(cost)-1] > 500 || facts*100 < 95*withFact || silent < without {
		t.Errorf("%d of %d facts, %d tokens in the median, %d at most; %d of %d said to be unknown", facts, withFact, median, cost[len(cost)-1], silent, without)
	}
}
