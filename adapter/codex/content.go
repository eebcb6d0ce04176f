package codex

import (
	"strings"

	"lore/adapter/kit"
)

// blockKind says what a block of a content list is. Types come in several spellings over the versions.
type blockKind uint8

const (
	blockUnknown blockKind = iota
	blockText
	blockImage
	blockLocalImage
	blockFile
	blockMention
	blockCipher
	blockEmpty
)

// kindOf returns the kind of a block and its text, when it has one.
func kindOf(block kit.Value) (blockKind, kit.Value) {
	switch block.Kind() {
	case kit.String:
		return blockText, block
	case kit.Null:
		return blockEmpty, kit.Value{}
	}
	switch typ := block.Get("type").String(); typ {
	case "input_text", "output_text", "text", "Text", "summary_text", "reasoning_text":
		return blockText, block.Get("text")
	default:
		return slowKind(plain(typ), block)
	}
}

func slowKind(typ string, block kit.Value) (blockKind, kit.Value) {
	switch typ {
	case "inputtext", "outputtext", "text", "summarytext", "reasoningtext":
		return blockText, block.Get("text")
	case "refusal":
		return blockText, first(block.Get("refusal"), block.Get("text"))
	case "inputimage", "image":
		return blockImage, first(block.Get("image_url"), block.Get("imageUrl"), block.Get("url"), block.Get("data"), block.Get("source"))
	case "localimage":
		return blockLocalImage, block.Get("path")
	case "inputfile", "file":
		return blockFile, first(block.Get("file_data"), block.Get("file_url"), block.Get("file_id"), block.Get("path"))
	case "mention", "skill":
		return blockMention, first(block.Get("path"), block.Get("name"))
	case "encryptedcontent":
		return blockCipher, kit.Value{}
	}
	return blockUnknown, kit.Value{}
}

// texts returns the texts of a content: of a plain string, or of the text blocks of a list.
func texts(content kit.Value) []kit.Value {
	if content.IsString() {
		return []kit.Value{content}
	}
	var list []kit.Value
	for block := range content.Items() {
		if kind, text := kindOf(block); kind == blockText && text.IsString() {
			list = append(list, text)
		}
	}
	return list
}

// promptText returns the words of a prompt without the frames that the client puts around images, and the number of
// images.
func promptText(content kit.Value) (text string, images int16) {
	if content.IsString() {
		return content.String(), 0
	}
	var words []string
	frames := false
	for block := range content.Items() {
		switch kind, value := kindOf(block); kind {
		case blockText:
			words = append(words, value.String())
			frames = frames || isFrame(words[len(words)-1])
		case blockImage, blockLocalImage:
			if value.IsString() || value.IsObject() {
				images = min(images+1, 1<<14)
			}
		}
	}
	if frames && images > 0 {
		kept := words[:0]
		for _, w := range words {
			if !isFrame(w) {
				kept = append(kept, w)
			}
		}
		words = kept
	}
	return strings.Join(words, "\n"), images
}

// isFrame reports whether a text block is half of the frame around an image: <image name=[Image #1]> or </image>.
func isFrame(text string) bool {
	text = strings.TrimSpace(text)
	if text == "</image>" || text == "<image>" {
		return true
	}
	return strings.HasPrefix(text, "<image name=") && strings.HasSuffix(text, ">") && !strings.ContainsAny(text, "\n")
}

// foldPrompt folds what a person wrote: without what an editor put around it.
func foldPrompt(text string) fold {
	_, request, _ := splitIDE(text)
	return foldText(request)
}
