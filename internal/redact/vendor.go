package redact

import "strings"

// vendor is one form of key: its prefix, the bytes after it, and how many of them there are. A greatest number of 0 means
// that there is no bound; where there is one, a longer run is no such key.
type vendor struct {
	kind     string
	prefix   string
	class    func(byte) bool
	min, max int
}

// lower are the digits of hexadecimal as vendors write them.
func lower(c byte) bool   { return digit(c) || c >= 'a' && c <= 'f' }
func capital(c byte) bool { return digit(c) || c >= 'A' && c <= 'Z' }
func under(c byte) bool   { return alnum(c) || c == '_' }
func dotted(c byte) bool  { return word(c) || c == '.' }
func slashed(c byte) bool { return word(c) || c == '/' }
func base64(c byte) bool  { return token(c) && c != '~' && c != '.' }

// vendors returns the table of keys that are known by their prefix. The first that fits counts.
func vendors() []vendor {
	return []vendor{
		{"anthropic-key", "sk-ant-", word, 20, 0},
		{"openrouter-key", "sk-or-", word, 32, 0},
		{"langfuse-key", "sk-lf-", word, 20, 0},
		{"openai-key", "sk-proj-", word, 20, 0},
		{"openai-key", "sk-svcacct-", word, 20, 0},
		{"openai-key", "sk-admin-", word, 20, 0},
		{"openai-key", "sk-None-", word, 20, 0},
		{"openai-key", "sess-", alnum, 40, 40},
		{"api-key", "sk-", alnum, 20, 0}, // OpenAI's first form, which many others took over
		{"github-token", "ghp_", alnum, 30, 0},
		{"github-token", "gho_", alnum, 30, 0},
		{"github-token", "ghu_", alnum, 30, 0},
		{"github-token", "ghs_", alnum, 30, 0},
		{"github-token", "ghr_", alnum, 30, 0},
		{"github-token", "github_pat_", under, 22, 0},
		{"gitlab-token", "glpat-", dotted, 20, 0},
		{"gitlab-token", "glptt-", word, 20, 0},
		{"gitlab-token", "gldt-", word, 20, 0},
		{"gitlab-token", "glrt-", dotted, 20, 0},
		{"gitlab-token", "glcbt-", word, 20, 0},
		{"gitlab-token", "glsoat-", word, 20, 0},
		{"gitlab-token", "glft-", word, 20, 0},
		{"gitlab-token", "glimt-", word, 20, 0},
		{"gitlab-token", "glagent-", word, 20, 0},
		{"slack-token", "xoxb-", word, 10, 0},
		{"slack-token", "xoxp-", word, 10, 0},
		{"slack-token", "xoxa-", word, 10, 0},
		{"slack-token", "xoxr-", word, 10, 0},
		{"slack-token", "xoxs-", word, 10, 0},
		{"slack-token", "xoxc-", word, 10, 0},
		{"slack-token", "xoxd-", func(c byte) bool { return base64(c) || c == '%' }, 10, 0},
		{"slack-token", "xoxe.", dotted, 10, 0},
		{"slack-token", "xoxe-", word, 10, 0},
		{"slack-token", "xapp-", word, 10, 0},
		{"slack-webhook", "hooks.slack.com/services/", slashed, 20, 0},
		{"slack-webhook", "hooks.slack.com/workflows/", slashed, 20, 0},
		{"discord-webhook", "discord.com/api/webhooks/", slashed, 40, 0},
		{"discord-webhook", "discordapp.com/api/webhooks/", slashed, 40, 0},
		{"aws-key", "AKIA", capital, 16, 16},
		{"aws-key", "ASIA", capital, 16, 16},
		{"aws-key", "ABIA", capital, 16, 16},
		{"aws-key", "ACCA", capital, 16, 16},
		{"aws-key", "ABSK", base64, 100, 0},
		{"google-key", "AIza", word, 35, 35},
		{"google-token", "ya29.", word, 20, 0},
		{"google-token", "GOCSPX-", word, 20, 0},
		{"google-token", "1//0", word, 40, 0},
		{"azure-key", "DefaultEndpointsProtocol=https;AccountName=", func(c byte) bool { return base64(c) || c == ';' }, 60, 0},
		{"stripe-key", "sk_live_", alnum, 16, 0},
		{"stripe-key", "sk_test_", alnum, 16, 0},
		{"stripe-key", "rk_live_", alnum, 16, 0},
		{"stripe-key", "rk_test_", alnum, 16, 0},
		{"webhook-secret", "whsec_", base64, 24, 0},
		{"npm-token", "npm_", alnum, 36, 36},
		{"pypi-token", "pypi-", word, 50, 0},
		{"rubygems-token", "rubygems_", lower, 48, 48},
		{"crates-token", "cio", alnum, 32, 32},
		{"docker-token", "dckr_pat_", word, 20, 0},
		{"docker-token", "dckr_oat_", word, 20, 0},
		{"huggingface-token", "hf_", alnum, 30, 0},
		{"huggingface-token", "api_org_", alnum, 30, 0},
		{"sendgrid-key", "SG.", dotted, 60, 0},
		{"mailgun-key", "key-", lower, 32, 32},
		{"twilio-key", "SK", lower, 32, 32},
		{"digitalocean-token", "dop_v1_", lower, 64, 64},
		{"digitalocean-token", "doo_v1_", lower, 64, 64},
		{"digitalocean-token", "dor_v1_", lower, 64, 64},
		{"shopify-token", "shpat_", alnum, 32, 0},
		{"shopify-token", "shpca_", alnum, 32, 0},
		{"shopify-token", "shppa_", alnum, 32, 0},
		{"shopify-token", "shpss_", alnum, 32, 0},
		{"square-token", "sq0atp-", word, 22, 0},
		{"square-token", "sq0csp-", word, 40, 0},
		{"linear-key", "lin_api_", alnum, 32, 0},
		{"linear-key", "lin_oauth_", alnum, 32, 0},
		{"notion-token", "ntn_", alnum, 40, 0},
		{"notion-token", "secret_", alnum, 43, 43},
		{"figma-token", "figd_", word, 30, 0},
		{"postman-key", "PMAK-", word, 40, 0},
		{"databricks-token", "dapi", lower, 32, 32},
		{"heroku-key", "HRKU-", word, 36, 0},
		{"vault-token", "hvs.", word, 24, 0},
		{"vault-token", "hvb.", word, 24, 0},
		{"vault-token", "hvr.", word, 24, 0},
		{"doppler-token", "dp.pt.", alnum, 40, 0},
		{"doppler-token", "dp.st.", dotted, 40, 0},
		{"sentry-token", "sntrys_", base64, 40, 0},
		{"sentry-token", "sntryu_", alnum, 40, 0},
		{"newrelic-key", "NRAK-", alnum, 27, 0},
		{"grafana-token", "glc_", base64, 32, 0},
		{"grafana-token", "glsa_", under, 32, 0},
		{"planetscale-token", "pscale_tkn_", dotted, 32, 0},
		{"planetscale-token", "pscale_pw_", dotted, 32, 0},
		{"planetscale-token", "pscale_oauth_", dotted, 32, 0},
		{"supabase-key", "sbp_", lower, 40, 40},
		{"supabase-key", "sb_secret_", word, 20, 0},
		{"netlify-token", "nfp_", alnum, 36, 0},
		{"render-key", "rnd_", alnum, 28, 0},
		{"fly-token", "fm2_", base64, 40, 0},
		{"fly-token", "fo1_", word, 40, 0},
		{"groq-key", "gsk_", alnum, 40, 0},
		{"replicate-token", "r8_", alnum, 37, 0},
		{"perplexity-key", "pplx-", alnum, 40, 0},
		{"xai-key", "xai-", alnum, 40, 0},
		{"cerebras-key", "csk-", alnum, 40, 0},
		{"tavily-key", "tvly-", word, 24, 0},
		{"firecrawl-key", "fc-", lower, 32, 32},
		{"e2b-key", "e2b_", lower, 40, 40},
		{"langsmith-key", "lsv2_pt_", under, 32, 0},
		{"langsmith-key", "lsv2_sk_", under, 32, 0},
		{"pinecone-key", "pcsk_", under, 40, 0},
		{"nvidia-key", "nvapi-", word, 40, 0},
		{"atlassian-token", "ATATT3", base64, 100, 0},
		{"atlassian-token", "ATBB", alnum, 28, 0},
		{"tailscale-key", "tskey-", word, 20, 0},
		{"wakatime-key", "waka_", word, 36, 36},
		{"contentful-token", "CFPAT-", word, 43, 43},
		{"age-key", "AGE-SECRET-KEY-1", capital, 58, 58},
		{"airtable-token", "pat", dotted, 79, 79},
		{"resend-key", "re_", under, 33, 33},
	}
}

// issued returns the key of a vendor that begins at i, where a word begins.
func issued(s string, i int) (match, bool) {
	for _, v := range byFirst[s[i]] {
		if !strings.HasPrefix(s[i:], v.prefix) {
			continue
		}
		from := i + len(v.prefix)
		if !mixed(s[from:min(len(s), from+max(v.min, 40))]) {
			continue // words in small letters joined by something
		}
		whole := s
		if v.max > 0 {
			whole = s[:min(len(s), from+v.max+1)]
		}
		to := run(whole, from, v.class)
		if n := to - from; n < v.min || v.max > 0 && n > v.max || to < len(s) && alnum(s[to]) {
			continue
		}
		if i > 0 && (s[i-1] == '+' || s[i-1] == '/') && alnum(v.prefix[len(v.prefix)-1]) {
			continue // the middle of base64
		}
		if strings.HasSuffix(v.kind, "-webhook") {
			return match{from, to, v.kind}, true // the place stays, what gives access goes
		}
		return match{i, to, v.kind}, true
	}
	return match{}, false
}

// mixed reports whether there is a digit or a capital in the text.
func mixed(s string) bool {
	for i := 0; i < len(s); i++ {
		if capital(s[i]) {
			return true
		}
	}
	return false
}
