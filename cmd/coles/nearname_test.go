package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"coles/internal/testkit"
)

// A word that is nearly another is taken for a slip; one that is not gets no guess.
func TestDidYouMean(t *testing.T) {
	for args, want := range map[string]string{
		"embd":                `unknown command "embd": did you mean embed?`,
		"pedrict x.npz":       `unknown command "pedrict": did you mean predict?`,
		"visualise":           `unknown command "visualise"`,
		"embed -dmi 3":        `unknown option -dmi: did you mean -dim?`,
		"embed --fliter=sgc":  `unknown option -fliter: did you mean -filter?`,
		"similar -embeding x": `unknown option -embeding: did you mean -embedding?`,
		"similar -x":          `unknown option -x`,
		"plot -perplexity 30": `unknown option -perplexity`,
		"Embéd x.npz":         `unknown command "Embéd": did you mean embed?`,
	} {
		code, _, stderr := call("", strings.Fields(args)...)
		if got := "coles: " + want + " (-h explains)\n"; code != exitUsage || stderr != got {
			t.Errorf("coles %s: exit %d, %q, want %q", args, code, stderr, got)
		}
	}
}

// An id is one node's whatever its accents and capitals, and the nearest of many is found at once.
func TestDidYouMeanAnID(t *testing.T) {
	ids := []string{"Lámpara", "Büro", "na\u0308her", "Mug XL 5520", "x", "Ёлка"}
	for typed, want := range map[string]string{
		"lampara": "Lámpara", "LAMPRA": "Lámpara", "buero": "Büro", "NÄHER": "na\u0308her", "naher": "na\u0308her",
		"mug xl 5502": "Mug XL 5520", "X": "x", "y": "", "елка": "Ёлка", "Mug grand 552": "",
	} {
		if want != "" {
			want = ": did you mean " + want + "?"
		}
		testkit.WantSame(t, typed, didYouMean("", typed, ids), want)
	}
	for i := range 200000 {
		ids = append(ids, fmt.Sprintf("Lámpara grand %d, pack of 3", i))
	}
	start := time.Now()
	testkit.WantSame(t, "the nearest of 200,000", didYouMean("", "lampara grande 123456, pack of 3", ids), ": did you mean Lámpara grand 123456, pack of 3?")
	if took := time.Since(start); took > 3*time.Second { // 0.1 s alone
		t.Errorf("it took %v", took)
	}
}

// Distances that are known by hand, and others by their definition; the same in both directions.
func TestEditDistance(t *testing.T) {
	want := func(a, b string, most, want int) {
		if got, back := editDistance([]rune(a), []rune(b), most), editDistance([]rune(b), []rune(a), most); got != want || back != want {
			t.Errorf("%q to %q, at most %d: %d and %d, want %d", a, b, most, got, back, want)
		}
	}
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"dim", "dmi", 1}, {"ca", "abc", 3},
		{"embed", "embed", 0}, {"äöü", "aou", 3},
	} {
		want(c.a, c.b, 9, c.want)
	}
	var apart func(a, b string) int
	apart = func(a, b string) int {
		if a == "" || b == "" {
			return len(a) + len(b)
		}
		d := min(apart(a[1:], b), apart(a, b[1:])) + 1
		if a[0] == b[0] {
			d = min(d, apart(a[1:], b[1:]))
		} else {
			d = min(d, apart(a[1:], b[1:])+1)
		}
		if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
			d = min(d, apart(a[2:], b[2:])+1)
		}
		return d
	}
	rng := testkit.Random(8)
	for range 300 {
		a, b := word(rng), word(rng)
		for most := range 6 {
			want(a, b, most, min(apart(a, b), most))
		}
	}
}

// word draws a word of at most seven letters of an alphabet of three.
func word(rng *rand.Rand) string {
	var b strings.Builder
	for range rng.IntN(8) {
		b.WriteByte("abc"[rng.IntN(3)])
	}
	return b.String()
}
