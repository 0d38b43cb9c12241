package main

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/hbollon/go-edlib"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// didYouMean asks whether what was typed is the nearest of some names, if one is near: a third of
// its letters wrong or swapped, but at most three, or one. Accents and capitals do not count.
func didYouMean(prefix, typed string, names []string) string {
	plain := transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC)
	letters := func(s string) string {
		s, _, _ = transform.String(plain, s) // no error comes of text
		return strings.ToLower(s)
	}
	a := letters(typed)
	length := len([]rune(a))
	best, least := "", min(max(1, length/3), 3, length-1)+1
	for _, name := range names {
		b := letters(name)
		if more := len(b) - len(a); more > 4*least || more < -4*least { // of at most four bytes each
			continue
		}
		if d := edlib.OSADamerauLevenshteinDistance(a, b); d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(": did you mean %s%s?", prefix, best)
}
