package pi

import (
	"lore"
	"lore/adapter/kit"
)

// message makes the messages of an entry of type "message".
func (w *writer) message(e *entry, v kit.Value) error {
	body := v.Get("message")
	switch role := body.Get("role").String(); role {
	case "user":
		return w.add(e, v, lore.Message{Role: lore.User, Parts: w.content(e, body.Get("content"), "", lore.Text)})
	case "assistant":
		return w.answer(e, v, body)
	case "toolResult":
		return w.result(e, v, body)
	case "bashExecution":
		return w.command(e, v, body)
	case "custom", "hookMessage":
		return w.add(e, v, lore.Message{Role: lore.System, Subtype: subContext, Parts: w.content(e, body.Get("content"), "", lore.Text)})
	case "compactionSummary":
		return w.add(e, v, lore.Message{Role: lore.System, Subtype: subCompaction, Parts: words(body.Get("summary"))})
	case "branchSummary":
		return w.add(e, v, lore.Message{Role: lore.System, Subtype: subSummary, Parts: words(body.Get("summary"))})
	default:
		w.meet(e, "message:"+role)
		return nil
	}
}

// answer makes the assistant's message, and a notice of the error that ended it. Tokens of a copy are counted where the
// original stands.
func (w *writer) answer(e *entry, v, body kit.Value) error {
	m := lore.Message{Role: lore.Assistant, Model: body.Get("model").String(), Parts: w.content(e, body.Get("content"), body.Get("stopReason").String(), lore.Text)}
	if !e.copied {
		m.Usage = usage(body.Get("usage"))
	}
	if err := w.add(e, v, m); err != nil {
		return err
	}
	fault := body.Get("errorMessage")
	if !fault.IsString() || fault.Is("") {
		return nil
	}
	notice := lore.Message{Role: lore.System, Subtype: subNotice, Parts: words(fault)}
	return w.put(e, v, notice, kit.SplitNative(lore.System, v.Get("id").String()))
}

func usage(v kit.Value) *lore.Usage {
	if !v.IsObject() {
		return nil
	}
	count := func(key string) int64 { n, _ := v.Get(key).Int(); return n }
	return &lore.Usage{Input: count("input"), Output: count("output"), CacheRead: count("cacheRead"), CacheWrite: count("cacheWrite")}
}

// result makes the message of a tool's result.
func (w *writer) result(e *entry, v, body kit.Value) error {
	parts := w.content(e, body.Get("content"), "", lore.Result)
	if len(parts) == 0 {
		parts = []lore.Part{{Kind: lore.Result}}
	}
	for i := range parts {
		parts[i].CallID = body.Get("toolCallId").String()
		if parts[i].Kind == lore.Result {
			parts[i].Name, parts[i].IsError = body.Get("toolName").String(), body.Get("isError").Bool()
		}
	}
	if body.Get("details", "truncation", "truncated").Bool() {
		w.truncated(e)
	}
	return w.add(e, v, lore.Message{Role: lore.Tool, Parts: parts})
}

// command makes the two messages of a command that the person ran: the call, and what it printed.
func (w *writer) command(e *entry, v, body kit.Value) error {
	call := kit.TextPart(lore.Call, body.Get("command"))
	call.Name = "bash"
	if err := w.add(e, v, lore.Message{Role: lore.System, Subtype: subCommand, Parts: []lore.Part{call}}); err != nil {
		return err
	}
	result := kit.TextPart(lore.Result, body.Get("output"))
	code, _ := body.Get("exitCode").Int()
	result.Name, result.IsError = "bash", code != 0 || body.Get("cancelled").Bool()
	if body.Get("truncated").Bool() {
		w.truncated(e)
	}
	return w.put(e, v, lore.Message{Role: lore.Tool, Parts: []lore.Part{result}}, kit.SplitNative(lore.Tool, v.Get("id").String()))
}

func (w *writer) truncated(e *entry) {
	w.losses.More(lore.TruncatedBySource, lore.Info, int(e.line), "output of a command")
}

// content makes the parts of a message: of a string, or of blocks. stop is why an answer ended.
func (w *writer) content(e *entry, v kit.Value, stop string, kind lore.PartKind) []lore.Part {
	if v.IsString() {
		if v.Is("") {
			return nil
		}
		return []lore.Part{kit.TextPart(kind, v)}
	}
	if v.Exists() && !v.IsNull() && !v.IsArray() {
		w.losses.More(lore.UnexpectedShape, lore.Warning, int(e.line), "content of a message")
		return []lore.Part{kit.UnknownPart("content", v)}
	}
	var parts []lore.Part
	for block := range v.Items() {
		parts = append(parts, w.block(e, block, stop, kind))
	}
	return parts
}

func (w *writer) block(e *entry, v kit.Value, stop string, kind lore.PartKind) lore.Part {
	switch typ := v.Get("type").String(); typ {
	case "text":
		return kit.TextPart(kind, v.Get("text"))
	case "thinking":
		p := kit.TextPart(lore.Thinking, v.Get("thinking"))
		signed := v.Get("thinkingSignature")
		p.Unreadable = p.Text == "" && (v.Get("redacted").Bool() || signed.IsString() && !signed.Is(""))
		return p
	case "toolCall":
		p := kit.RawPart(lore.Call, input(v, stop))
		p.Name, p.CallID = v.Get("name").String(), v.Get("id").String()
		return p
	case "image":
		return kit.MediaPart(lore.Image, v.Get("data"), v.Get("mimeType").String(), true)
	default:
		w.losses.Unknown(int(e.line), "block "+typ)
		return kit.UnknownPart(typ, v)
	}
}

// input returns what a call was given. Of a call that never ended the unfinished text is what the model wrote; the
// arguments beside it are only a guess at it.
func input(v kit.Value, stop string) kit.Value {
	args, partial := v.Get("arguments"), v.Get("partialJson")
	unfinished := stop == "error" || stop == "aborted" || args.Len() == 0
	if partial.IsString() && !partial.Is("") && unfinished {
		return partial
	}
	return args
}

// words makes the part of a text that may be absent.
func words(v kit.Value) []lore.Part {
	if !v.IsString() || v.Is("") {
		return nil
	}
	return []lore.Part{kit.TextPart(lore.Text, v)}
}
