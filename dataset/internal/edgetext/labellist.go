package edgetext

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// errLabelList is of a JSON list that has no labels.
var errLabelList = errors.New("a list of labels wants one text or number at least, and nothing else")

// LabelList are the labels of a cell that is a JSON list, nil for other text.
func LabelList(cell string) (labels []string, err error) {
	if !strings.HasPrefix(cell, "[") || !json.Valid([]byte(cell)) {
		return nil, nil
	}
	var list []any
	d := json.NewDecoder(strings.NewReader(cell))
	d.UseNumber()
	if err := d.Decode(&list); err != nil {
		return nil, err
	}
	for _, v := range list {
		switch v := v.(type) {
		case string:
			labels = append(labels, v)
		case json.Number:
			labels = append(labels, v.String())
		default:
			return nil, errLabelList
		}
	}
	if len(labels) == 0 || slices.Contains(labels, "") {
		return nil, errLabelList
	}
	return labels, nil
}

// withLabel is a JSON list of the labels of a cell and another one, "" where the cell has it.
func withLabel(cell, label string) string {
	labels, err := LabelList(cell)
	if labels == nil {
		labels = []string{cell}
	}
	if err != nil || slices.Contains(labels, label) {
		return ""
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(append(labels, label)) != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}
