package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"coles"

	"github.com/hbollon/go-edlib"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// namedRows are the rows of ids, nil for none. Where it can be said, a part of one name stands for it.
func namedRows(ids, names []string, say func(error)) (rows []int, err error) {
	row := make(map[string]int, len(names))
	for i, id := range names {
		row[id] = i
	}
	for _, id := range ids {
		if i, ok := row[id]; ok {
			rows = append(rows, i)
			continue
		}
		if areNumbers(names) {
			return nil, fmt.Errorf("%w: unknown node %q; rows are numbered, 0 to %d: name them by -ids", coles.ErrIDs, id, len(names)-1)
		}
		var like []int
		if say != nil {
			like = called(id, names)
		}
		switch {
		case len(like) == 1:
			say(fmt.Errorf("%q is taken for %q", id, names[like[0]]))
			rows = append(rows, like[0])
		case len(like) > 1:
			const most = 5
			some := make([]string, min(most, len(like)))
			for q := range some {
				some[q] = strconv.Quote(names[like[q]])
			}
			return nil, fmt.Errorf("%w: unknown node %q; %d have it in their names, such as %s", coles.ErrIDs, id, len(like), strings.Join(some, ", "))
		default:
			return nil, fmt.Errorf("%w: unknown node %q%s", coles.ErrIDs, id, didYouMean("", id, names))
		}
	}
	return rows, nil
}

// picked are the elements of these rows.
func picked[T any](all []T, rows []int) []T {
	some := make([]T, len(rows))
	for k, i := range rows {
		some[k] = all[i]
	}
	return some
}

// didYouMean asks whether what was typed is the nearest of some names, if one is near: a third of
// its letters wrong or swapped, but at most three, or one. Accents and capitals do not count.
func didYouMean(prefix, typed string, names []string) string {
	letters := inLetters()
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

// inLetters returns what makes small letters of text, without accents.
func inLetters() func(string) string {
	plain := transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC)
	return func(s string) string {
		s, _, _ = transform.String(plain, s) // no error comes of text
		return strings.ToLower(s)
	}
}

// called are the rows whose names are what was typed but for accents, capitals and signs between words, or else begin
// so, or else have it in them.
func called(typed string, names []string) []int {
	letters := inLetters()
	words := func(s string) string {
		return strings.Join(strings.FieldsFunc(letters(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }), " ")
	}
	part := words(typed)
	if part == "" {
		return nil
	}
	var found [3][]int
	for i, name := range names {
		switch at := strings.Index(words(name), part); {
		case at == 0 && len(words(name)) == len(part):
			found[0] = append(found[0], i)
		case at == 0:
			found[1] = append(found[1], i)
		case at > 0:
			found[2] = append(found[2], i)
		}
	}
	for _, rows := range found {
		if rows != nil {
			return rows
		}
	}
	return nil
}
