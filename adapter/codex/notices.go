package codex

import "lore/adapter/kit"

// noticeTexts returns what an event of the client says, in its order; nothing when it has no words.
func noticeTexts(body kit.Value, kind string) []string {
	switch kind {
	case "entered_review_mode", "EnteredReviewMode":
		return words(first(body.Get("prompt"), body.Get("user_facing_hint"), body.Get("review")), body.Get("target", "instructions"))
	case "exited_review_mode", "ExitedReviewMode":
		return reviewTexts(body)
	case "thread_goal_updated":
		return words(body.Get("goal", "objective"))
	case "guardian_assessment":
		return words(body.Get("rationale"))
	}
	return words(first(body.Get("message"), body.Get("summary")), body.Get("details"))
}

// reviewTexts returns the findings of a review and what it says of the whole.
func reviewTexts(body kit.Value) []string {
	out := body.Get("review_output")
	list := words(out.Get("overall_explanation"), body.Get("review"))
	for finding := range out.Get("findings").Items() {
		list = append(list, words(finding.Get("title"), finding.Get("body"))...)
	}
	return list
}

// words returns the texts that are there, each once.
func words(values ...kit.Value) []string {
	var list []string
	for _, v := range values {
		if !holds(v) || !v.IsString() {
			continue
		}
		text := v.String()
		if len(list) == 0 || list[len(list)-1] != text {
			list = append(list, text)
		}
	}
	return list
}
