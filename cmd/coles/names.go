package main

import (
	"fmt"
	"strconv"
	"strings"

	"coles"
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
