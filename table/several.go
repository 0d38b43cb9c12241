package table

import (
	"encoding/json"
	"slices"
	"strings"
)

// jsonList is what begins a list of values as JSON writes it.
const jsonList = "["

// separators are what may stand between the values of a cell that has several, such as Action|Adventure.
var separators = []string{jsonList, "|", ";"}

// listed are the values of a cell in the form in which they are compared, each once, of several with a separator between.
func listed(cell, between string) []string {
	var parts []string
	switch {
	case between == jsonList && json.Unmarshal([]byte(cell), &parts) == nil:
	case between == "" || between == jsonList:
		return []string{value(cell)}
	default:
		parts = strings.Split(cell, between)
	}
	var all []string
	for _, part := range parts {
		if name := value(part); name != "" {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// between is the first of the separators by which different cells are lists, "" for none: values are in two of them, one
// of which is a list, in more than a twentieth of all, and each value is in two cells on average. Prose with a mark
// between sentences has hardly any of them twice.
func between(cells map[string]bool) string {
	for _, mark := range separators {
		uses, beside, shared, all := make(map[string]int), make(map[string]int), 0, 0
		for cell := range cells {
			if mark == jsonList && strings.HasPrefix(cell, mark) != json.Valid([]byte(cell)) {
				continue
			}
			values := listed(cell, mark)
			all += len(values)
			for _, name := range values {
				uses[name]++
				beside[name] += len(values) - 1
			}
		}
		for name, n := range uses {
			shared += min(n-1, beside[name])
		}
		if 20*shared > len(cells) && 2*len(uses) <= all {
			return mark
		}
	}
	return ""
}
