package kit

import "testing"

func TestPathDigest(t *testing.T) {
	const want = "5e5e7ed227860745fd995d7f2cb3b4603ae6f752df0f4d00be3ce21c80a7708c"
	if got := PathDigest("/proj/lantern"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
