package main

import (
	"fmt"
	"slices"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// didYouMean asks whether what was typed is the nearest of some names, if one is near: a third of
// its letters wrong, but at most three, or one. Accents and capitals do not count.
func didYouMean(prefix, typed string, names []string) string {
	a := letters(typed)
	best, least := "", min(max(1, len(a)/3), 3, len(a)-1)+1
	for _, name := range names {
		if d := editDistance(a, letters(name), least); d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(": did you mean %s%s?", prefix, best)
}

// letters are those of a text, small and without accents.
func letters(s string) []rune {
	found := make([]rune, 0, len(s))
	for _, r := range norm.NFD.String(s) {
		if !unicode.Is(unicode.Mn, r) {
			found = append(found, unicode.ToLower(r))
		}
	}
	return found
}

// editDistance counts the letters to insert, remove or replace, and the neighbours to swap, that
// make b of a, or returns most if there are more.
func editDistance(a, b []rune, most int) int {
	if max(len(a)-len(b), len(b)-len(a)) >= most {
		return most
	}
	// The last rows of the distances of the first i letters of a from the first j of b, where these
	// are fewer than most apart.
	width := len(b) + 1
	cells := slices.Repeat([]int{most}, 3*width)
	for j := range width {
		cells[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, last, first := cells[i%3*width:], cells[(i+2)%3*width:], cells[(i+1)%3*width:]
		from, to := max(1, i-most), min(len(b), i+most)
		row[from-1] = min(i, most)
		for j := from; j <= to; j++ {
			replaced := last[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			row[j] = min(last[j]+1, row[j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], first[j-2]+1)
			}
		}
	}
	return min(cells[len(a)%3*width+len(b)], most)
}
