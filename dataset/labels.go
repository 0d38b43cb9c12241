package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/internal/text"
)

// readLabels reads the class of each node. A first line of another id may be a header, or the fault.
func (l *edgeFiles) readLabels(t *text.Reader, opts EdgeListOptions) {
	l.class = make([]string, l.nodes.count())
	opts.Header.start(t, func() bool { return onlyHeaderWords(t.Fields) })
	var unknown error
	var label string // of the first line, if its id is unknown
	for t.Next() {
		if len(t.Fields) != 2 || t.Fields[1] == "" {
			t.Fault(-1, "%w: %d fields, a label line is an id and a label", coles.ErrFormat, len(t.Fields))
			break
		}
		if opts.SkipUnknown && t.Fields[0] != "" && !l.nodes.has(t.Fields[0]) {
			continue
		}
		i := l.nodes.named(t, 0)
		switch {
		case errors.Is(t.Err, coles.ErrIDs) && t.Line == t.First && t.Guessed && t.Header == nil:
			label, unknown, t.Err = strings.Clone(t.Fields[1]), t.Err, nil
			continue
		case errors.Is(t.Err, coles.ErrIDs) && unknown != nil:
			t.Err = unknown
		case l.class[i] != "":
			t.Fault(0, "label of node %q: %w", t.Fields[0], ErrDuplicate)
		}
		l.class[i] = strings.Clone(t.Fields[1])
	}
	if unknown != nil && (slices.Contains(l.class, label) || slices.Max(l.class) == "") {
		t.Fail(unknown)
	}
	checkGuess(t, l.nodes, 0)
}

// giveClasses sets Labels, Unlabeled and Classes from the class of every node, "" for none.
func (d *Dataset) giveClasses(class []string) error {
	numbers := make(map[string]int)
	for _, c := range class {
		if c != "" {
			numbers[c] = 0
		}
	}
	if len(numbers) > maxClasses {
		return fmt.Errorf("more than %d classes: %w", maxClasses, coles.ErrTooLarge)
	}
	d.Classes = sortedNames(numbers)
	for i, c := range d.Classes {
		numbers[c] = i
	}
	d.Labels = make([]int, len(class))
	for i, c := range class {
		if d.Labels[i] = numbers[c]; c == "" {
			d.Labels[i] = -1
			d.Unlabeled = append(d.Unlabeled, i)
		}
	}
	return nil
}

// sortedNames sorts class names: as numbers when all are integers, else as text.
func sortedNames(names map[string]int) []string {
	list := slices.Sorted(maps.Keys(names))
	values := make(map[string]int, len(list))
	for _, c := range list {
		v, err := strconv.Atoi(c)
		if err != nil {
			return list
		}
		values[c] = v
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(values[a], values[b]) })
	return list
}
