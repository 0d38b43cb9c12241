package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"coles"
	"coles/dataset/internal/bounds"
)

// giveClasses sets Labels, Unlabeled and Classes from the class of every node, "" for none.
func (d *Dataset) giveClasses(class []string) error {
	numbers := make(map[string]int)
	for _, c := range class {
		if c != "" {
			numbers[c] = 0
		}
	}
	if len(numbers) > bounds.Classes {
		return fmt.Errorf("more than %d classes: %w", bounds.Classes, coles.ErrTooLarge)
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
