package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/dataset/internal/bounds"
	"coles/dataset/internal/edgetext"
)

// LabelSets takes the label of each node for several classes: a JSON list, as [ReadEdgeList] makes of repeated lines,
// or what stands between bars or, where no label has a bar, semicolons. A set is ascending, nil for a node without a
// label; names are those of the classes. found reports that some label is a JSON list, or that a class of a label with
// bars or semicolons is also in another one.
func (d *Dataset) LabelSets() (sets [][]int, names []string, found bool) {
	separator := ";"
	if slices.ContainsFunc(d.Classes, func(c string) bool { return strings.Contains(c, "|") }) {
		separator = "|"
	}
	parts, uses, split := make([][]string, len(d.Classes)), make(map[string]int), make(map[string]bool)
	for k, c := range d.Classes {
		list, err := edgetext.LabelList(c)
		if found = found || list != nil; list == nil || err != nil {
			if list = slices.DeleteFunc(strings.Split(c, separator), func(s string) bool { return strings.TrimSpace(s) == "" }); len(list) == 0 {
				list = []string{c}
			}
		}
		for q, name := range list {
			list[q] = strings.TrimSpace(name)
			split[list[q]] = split[list[q]] || len(list) > 1
		}
		slices.Sort(list)
		parts[k] = slices.Compact(list)
		for _, name := range parts[k] {
			uses[name]++
		}
	}
	for name, n := range uses {
		found = found || n > 1 && split[name]
	}
	names, numbers := numbered(uses)
	sets = make([][]int, len(d.Labels))
	for i, label := range d.Labels {
		if _, unknown := slices.BinarySearch(d.Unlabeled, i); label < 0 || label >= len(parts) || unknown {
			continue
		}
		for _, name := range parts[label] {
			sets[i] = append(sets[i], numbers[name])
		}
		slices.Sort(sets[i])
	}
	return sets, names, found
}

// fewValues is how many whole numbers are classes, though each occurs once.
const fewValues = 10

// LabelNumbers takes the label of each node for a number, NaN for a node without one, or with another word: odd is the
// first of these, −1 for none. found reports that the numbers are a quantity and not names of classes: some have a
// fraction, or they are more than ten of which most occur once.
func (d *Dataset) LabelNumbers() (values []float64, odd int, found bool) {
	number := make([]float64, len(d.Classes))
	for k, name := range d.Classes {
		v, err := strconv.ParseFloat(name, 64)
		if number[k] = v; err != nil || math.IsInf(v, 0) {
			number[k] = math.NaN()
		}
	}
	uses := make([]int, len(number))
	values, odd = make([]float64, len(d.Labels)), -1
	for i, label := range d.Labels {
		values[i] = math.NaN()
		if _, unknown := slices.BinarySearch(d.Unlabeled, i); label < 0 || label >= len(number) || unknown {
			continue
		}
		if values[i] = number[label]; !math.IsNaN(values[i]) {
			uses[label]++
		} else if odd < 0 {
			odd = i
		}
	}
	known, once := 0, 0
	for k, n := range uses {
		if n == 0 {
			continue
		}
		if known++; n == 1 {
			once++
		}
		found = found || number[k] != math.Trunc(number[k])
	}
	return values, odd, found || known > fewValues && 2*once > known
}

// giveClasses sets Labels, Unlabeled and Classes from the class of every node, "" for none.
func (d *Dataset) giveClasses(class []string) error {
	uses := make(map[string]int)
	for _, c := range class {
		uses[c]++
	}
	if delete(uses, ""); len(uses) > bounds.Classes {
		return fmt.Errorf("more than %d classes: %w", bounds.Classes, coles.ErrTooLarge)
	}
	var numbers map[string]int
	d.Classes, numbers = numbered(uses)
	d.Labels = make([]int, len(class))
	for i, c := range class {
		if d.Labels[i] = numbers[c]; c == "" {
			d.Labels[i] = -1
			d.Unlabeled = append(d.Unlabeled, i)
		}
	}
	return nil
}

// numbered sorts the names of classes, as numbers when all are integers, else as text, and numbers them.
func numbered(uses map[string]int) (names []string, numbers map[string]int) {
	names, numbers = slices.Sorted(maps.Keys(uses)), make(map[string]int)
	values, whole := make(map[string]int), true
	for _, c := range names {
		v, err := strconv.Atoi(c)
		values[c], whole = v, whole && err == nil
	}
	if whole {
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(values[a], values[b]) })
	}
	for k, c := range names {
		numbers[c] = k
	}
	return names, numbers
}
