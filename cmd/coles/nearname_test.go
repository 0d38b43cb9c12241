package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"coles/internal/peak"
	"coles/internal/race"
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
	for i := range 20000 {
		ids = append(ids, fmt.Sprintf("Lámpara grand %d, pack of 3", i))
	}
	before := peak.Time()
	testkit.WantSame(t, "the nearest of 20,000", didYouMean("", "lampara grande 12345, pack of 3", ids), ": did you mean Lámpara grand 12345, pack of 3?")
	if took := peak.Time() - before; took > race.Slowdown*time.Second { // 0.1 s alone
		t.Errorf("it took %v of work", took)
	}
}
