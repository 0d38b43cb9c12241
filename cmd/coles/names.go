package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"coles"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/mat"
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

// called are the rows whose names are what was typed, without regard to accents, capitals and signs between words. Where
// there are none, they are the names that begin with it or, at last, contain it.
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

// someRows is a copy of rows of y, sparse where y is.
func someRows(ctx context.Context, y mat.Matrix, rows []int) (mat.Matrix, error) {
	s, err := matrix.Read(ctx, y)
	if err != nil {
		return nil, err
	}
	all, err := matrix.As[float64](ctx, s)
	if err != nil {
		return nil, err
	}
	some, err := all.Gather(ctx, rows)
	if err != nil {
		return nil, err
	}
	return matrix.Export(ctx, some)
}
