package kimi

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// builder makes the parts of one message out of the records of its turn.
type builder struct {
	losses *kit.Tally
	line   int
	parts  []lore.Part
	calls  []string
	usage  *lore.Usage
	stream bool // the last part is one of a stream, which the next record may go on
}

// take adds what a record says, of whichever form.
func (b *builder) take(t *turn, v kit.Value) {
	switch {
	case v.Get("role").IsString():
		b.remembered(t, v)
	case v.Get("type").IsString():
		b.wire(t, v)
	default:
		event, _, _ := unwrap(v)
		b.event(t, event.Get("type").String(), event.Get("payload"))
	}
}

// remembered adds a record of the memory.
func (b *builder) remembered(t *turn, v kit.Value) {
	kind := lore.Text
	if t.what == result {
		kind = lore.Result
	}
	b.content(v.Get("content"), kind)
	for call := range v.Get("tool_calls").Items() {
		b.call(call.Get("id").String(), call.Get("function", "name").String(), call.Get("function", "arguments"))
	}
	b.filled(kind)
}

// wire adds a record of Kimi Code's log.
func (b *builder) wire(t *turn, v kit.Value) {
	switch v.Get("type").String() {
	case "turn.prompt", "turn.steer":
		b.content(v.Get("input"), lore.Text)
	case "context.append_message":
		message := v.Get("message")
		kind := lore.Text
		if t.what == result {
			kind = lore.Result
		}
		b.content(message.Get("content"), kind)
		for call := range message.Get("toolCalls").Items() {
			b.call(call.Get("id").String(), call.Get("name").String(), call.Get("arguments"))
		}
		b.filled(kind)
	case "context.append_loop_event":
		b.loop(v.Get("event"))
	case "context.apply_compaction":
		b.content(v.Get("summary"), lore.Text)
	case "goal.create":
		b.content(v.Get("objective"), lore.Text)
	case "permission.record_approval_result":
		b.content(v.Get("result", "feedback"), lore.Text)
	case "usage.record":
		b.spend(v.Get("usage"), "inputOther", "output", "inputCacheRead", "inputCacheCreation")
	default: // turn.cancel, context.clear
		b.parts = append(b.parts, lore.Part{Kind: lore.Text, Text: v.Get("type").String()})
	}
}

// loop adds an event of the model's loop.
func (b *builder) loop(event kit.Value) {
	switch event.Get("type").String() {
	case "content.part":
		b.content(event.Get("part"), lore.Text)
	case "tool.call":
		b.call(event.Get("toolCallId").String(), event.Get("name").String(), event.Get("args"))
	case "tool.result":
		outcome := event.Get("result")
		b.content(outcome.Get("output"), lore.Result)
		b.content(outcome.Get("note"), lore.Result)
		b.filled(lore.Result)
		b.failed(outcome.Get("isError").Bool())
	case "step.end":
		b.spend(event.Get("usage"), "inputOther", "output", "inputCacheRead", "inputCacheCreation")
	}
}

// event adds an event of Kimi CLI's log. What a stream parted is one part.
func (b *builder) event(t *turn, typ string, payload kit.Value) {
	switch typ {
	case "TurnBegin", "SteerInput":
		b.content(payload.Get("user_input"), lore.Text)
	case "ContentPart":
		b.chunk(payload)
	case "ToolCall":
		b.call(payload.Get("id").String(), payload.Get("function", "name").String(), payload.Get("function", "arguments"))
	case "ToolCallPart":
		b.goOn(payload.Get("arguments_part"))
	case "ToolResult":
		value := payload.Get("return_value")
		b.content(value.Get("output"), lore.Result)
		b.content(value.Get("message"), lore.Result)
		b.filled(lore.Result)
		b.failed(value.Get("is_error").Bool())
	case "StatusUpdate":
		b.spend(payload.Get("token_usage"), "input_other", "output", "input_cache_read", "input_cache_creation")
	case "ApprovalResponse":
		b.content(payload.Get("feedback"), lore.Text)
	case "HookResolved":
		b.content(payload.Get("reason"), lore.Text)
	case "PlanDisplay":
		b.content(payload.Get("content"), lore.Text)
	case "Notification":
		b.content(payload.Get("title"), lore.Text)
		b.content(payload.Get("body"), lore.Text)
	case "StepInterrupted":
		b.parts = append(b.parts, lore.Part{Kind: lore.Text, Text: typ})
	}
}

// content adds the parts of a content: of a string, of one block, or of several.
func (b *builder) content(v kit.Value, kind lore.PartKind) {
	b.stream = false
	switch {
	case v.IsString():
		if !v.Is("") {
			b.parts = append(b.parts, kit.TextPart(kind, v))
		}
	case v.IsObject():
		b.block(v, kind)
	case v.IsArray():
		for block := range v.Items() {
			b.block(block, kind)
		}
	case v.Exists() && !v.IsNull():
		b.losses.More(lore.UnexpectedShape, lore.Warning, b.line, "content of a message")
		b.parts = append(b.parts, kit.UnknownPart("content", v))
	}
}

func (b *builder) block(v kit.Value, kind lore.PartKind) {
	typ := v.Get("type").String()
	switch typ {
	case "text":
		b.parts = append(b.parts, kit.TextPart(kind, v.Get("text")))
	case "think":
		p := kit.TextPart(lore.Thinking, v.Get("think"))
		p.Unreadable = p.Text == "" && holds(v.Get("encrypted"))
		b.parts = append(b.parts, p)
	case "image_url", "audio_url", "video_url", "image", "audio", "video":
		b.media(v, typ)
	default:
		b.losses.Unknown(b.line, "block "+typ)
		b.parts = append(b.parts, kit.UnknownPart(typ, v))
	}
}

// media adds an image or another file. What stands in a file of its own is named "blobref:TYPE;HASH".
func (b *builder) media(v kit.Value, typ string) {
	kind := lore.File
	if strings.HasPrefix(typ, "image") {
		kind = lore.Image
	}
	var ref kit.Value
	for _, key := range []string{typ, strings.TrimSuffix(typ, "_url"), "imageUrl", "audioUrl", "videoUrl", "source"} {
		if u := v.Get(key, "url"); u.IsString() {
			ref = u
			break
		}
	}
	if !ref.Exists() {
		ref = v.Get("url")
	}
	media := ""
	if rest, ok := strings.CutPrefix(ref.String(), "blobref:"); ok {
		media, _, _ = strings.Cut(rest, ";")
	}
	b.parts = append(b.parts, kit.MediaPart(kind, ref, media, false))
}

// chunk adds a part of a stream; one of the same kind goes on the one before.
func (b *builder) chunk(v kit.Value) {
	before, on := len(b.parts), b.stream
	b.content(v, lore.Text)
	if len(b.parts) != before+1 {
		return
	}
	p := &b.parts[before]
	b.stream = p.Kind == lore.Text || p.Kind == lore.Thinking
	if !on || before == 0 || b.parts[before-1].Kind != p.Kind || b.parts[before-1].Cut || p.Cut {
		return
	}
	b.parts[before-1].Text += p.Text
	b.parts = b.parts[:before]
}

// call adds a call.
func (b *builder) call(id, name string, input kit.Value) {
	b.stream = false
	p := kit.RawPart(lore.Call, input)
	p.Name, p.CallID = name, id
	b.parts = append(b.parts, p)
	if id != "" {
		b.calls = append(b.calls, id)
	}
}

// goOn adds to the input of the last call.
func (b *builder) goOn(more kit.Value) {
	for i := len(b.parts) - 1; i >= 0; i-- {
		if b.parts[i].Kind == lore.Call {
			b.parts[i].Text += more.String()
			return
		}
	}
	if holds(more) {
		b.parts = append(b.parts, kit.TextPart(lore.Call, more))
	}
}

// filled sees to it that a result has a part.
func (b *builder) filled(kind lore.PartKind) {
	if kind == lore.Result && len(b.parts) == 0 {
		b.parts = append(b.parts, lore.Part{Kind: kind})
	}
}

func (b *builder) failed(failed bool) {
	for i := range b.parts {
		b.parts[i].IsError = b.parts[i].IsError || failed && b.parts[i].Kind == lore.Result
	}
}

// spend takes the tokens of a step.
func (b *builder) spend(v kit.Value, input, output, read, written string) {
	if !v.IsObject() || b.usage != nil {
		return
	}
	count := func(key string) int64 { n, _ := v.Get(key).Int(); return n }
	b.usage = &lore.Usage{Input: count(input), Output: count(output), CacheRead: count(read), CacheWrite: count(written)}
}
