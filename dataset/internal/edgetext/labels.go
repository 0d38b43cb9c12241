package edgetext

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"coles"
	"coles/dataset/internal/place"
	"coles/dataset/parse"
	"coles/internal/setting"
	"coles/internal/source"
	"coles/internal/text"
)

// readLabels reads the class of each node. A first line of another id may be a header, or the fault.
func (l *edgeFiles) readLabels(t *text.Reader, opts options) {
	l.Class = make([]string, l.nodes.count())
	if opts.LabelColumn != "" {
		opts.Header = parse.WithHeader
	}
	named := func() bool { return len(t.Fields) == 2 && text.IsIDName(t.Fields[0]) && !l.nodes.has(t.Fields[0]) } // the label may be called anything
	if start(t, opts.Header, func() bool { return named() || onlyHeaderWords(t.Fields) || labelNames(t.Fields, "") != nil }) {
		l.pickLabels(t, opts.LabelColumn)
	}
	var unknown error
	var label string // of the first line, if its id is unknown
	var strange skipped
	none, lines, several := 0, 0, 0 // lines without a label, with one, and with another one
	width := 2
	if l.namesColumn != "" {
		l.names, width = make([]string, l.nodes.count()), 3
	}
	for t.Next() {
		if len(t.Fields) != width {
			t.Fault(-1, "%w: %s, a label line is an id and a label; a header that has the columns id and label tells which they are", coles.ErrFormat, setting.Count(len(t.Fields), "fields"))
			break
		}
		if opts.SkipUnknown && t.Fields[0] != "" && !l.nodes.has(t.Fields[0]) {
			strange.skip(t.Fields[0])
			continue
		}
		i := l.nodes.named(t, 0)
		if width > 2 {
			l.names[i] = strings.Clone(t.Fields[2])
		}
		switch {
		case errors.Is(t.Err, coles.ErrIDs) && t.Line == t.First && t.Guessed && t.Header == nil:
			label, unknown, t.Err = strings.Clone(t.Fields[1]), t.Err, nil
			continue
		case errors.Is(t.Err, coles.ErrIDs) && unknown != nil:
			t.Err = unknown
		case l.Class[i] != "":
			both := withLabel(l.Class[i], t.Fields[1])
			if both == "" || t.IsMark(1) {
				t.Fault(0, "label of node %q: %w", t.Fields[0], place.ErrDuplicate)
			}
			l.Class[i], several = both, several+1
			continue
		case t.IsMark(1):
			none++
			continue
		}
		if _, err := LabelList(t.Fields[1]); err != nil {
			t.Fault(1, "%w: %w; leave out the line of a node without a label", coles.ErrFormat, err)
		}
		l.Class[i], lines = strings.Clone(t.Fields[1]), lines+1
	}
	if unknown != nil && (slices.Contains(l.Class, label) || lines+none == 0) {
		t.Fail(unknown)
	}
	checkGuess(t, l.nodes, 0, "")
	l.closed(t, l.labelsFile, strange.lines)
	if t.Err == nil {
		more, word := l.unlabel(lines, opts)
		l.warnOfLabels(strange, none+more, word)
		if several > 0 {
			l.say(l.labelsFile, 0, nil, "nodes get %d more labels by lines that repeat them: each has a list of labels", several)
		}
	}
}

// labelNames are the roles of the columns of labels by their names, nil where these do not tell; the label is in a column
// that is asked for, if one is.
func labelNames(header []string, column string) []string {
	label := text.LabelColumn(header)
	if column != "" {
		label = slices.Index(header, column)
	}
	if label < 0 || len(header) < 2 {
		return nil
	}
	id, named := text.IDColumn(header, header)
	if column == "" && (!named && len(header) > 2 || slices.ContainsFunc(header, text.IsNumber)) || id == label {
		return nil
	}
	roles := make([]string, len(header))
	roles[id], roles[label] = "id", "label"
	return roles
}

// pickLabels has lines consist of an id and a label.
func (l *edgeFiles) pickLabels(t *text.Reader, column string) {
	roles := labelNames(t.Header, column)
	if roles == nil && column != "" {
		t.Fail(fmt.Errorf("%w: no column %q of labels beside one of ids: %s", place.ErrMissing, column, strings.Join(t.Header, ", ")))
		return
	}
	if again := slices.Index(t.Header, column); again >= 0 {
		if other := slices.Index(t.Header[again+1:], column); other >= 0 {
			t.Fail(fmt.Errorf("%w: columns %d and %d of the header are both called %q", coles.ErrIDs, again+1, again+other+2, column))
			return
		}
	}
	if len(roles) != len(t.Fields) {
		if roles = []string{"id", "label"}; len(t.Fields) != 2 {
			return // an error of the first line
		}
		if len(t.Header) > 2 {
			t.Fault(-1, "%w: %s, the header has %d", coles.ErrFormat, setting.Count(len(t.Fields), "fields"), len(t.Header))
			return
		}
	}
	if column == "" {
		l.sayUnread(t, l.labelsFile, func(k int) bool { return roles[k] == "" })
	}
	l.warnOfComments(t, l.labelsFile)
	columns := []int{slices.Index(roles, "id"), slices.Index(roles, "label")}
	if k := slices.IndexFunc(t.Header, func(name string) bool { return text.NameKind(name) != "" }); column != "" && k >= 0 && roles[k] == "" {
		l.namesColumn, columns = t.Header[k], append(columns, k)
	}
	l.opened(t, l.labelsFile, "labels", roles)
	t.Pick(columns)
}

// noLabel are the words for none, among other labels.
var noLabel = strings.Fields("unknown unlabeled unlabelled undefined missing unk tbd * n.a.")

// unlabel takes away labels that are a word for none and, where all others are whole numbers from 0 on, −1. It counts them,
// and returns such a word.
func (l *edgeFiles) unlabel(lines int, opts options) (count int, word string) {
	for i, c := range l.Class {
		if opts.MissingMarks == nil && (slices.Contains(noLabel, strings.ToLower(c)) || strings.EqualFold(c, "not available")) {
			l.Class[i], word = "", c
			count++
		}
	}
	return count + l.unlabelMinus(lines-count, opts), word
}

// unlabelMinus does so with −1.
func (l *edgeFiles) unlabelMinus(lines int, opts options) (count int) {
	for _, c := range l.Class {
		if _, whole := text.Integer(c); c == "-1" {
			count++
		} else if !whole && c != "" {
			return 0
		}
	}
	if count == lines || opts.MissingMarks != nil {
		return 0
	}
	for i, c := range l.Class {
		if c == "-1" {
			l.Class[i] = ""
		}
	}
	return count
}

func (l *edgeFiles) warnOfLabels(strange skipped, none int, word string) {
	if strange.lines > 0 {
		l.say(l.labelsFile, 0, nil, "labels that are skipped because there is no such node: %d, such as of %q", strange.lines, strange.id)
	}
	if none > 0 {
		such := ""
		if word != "" {
			such = fmt.Sprintf(", such as %q", word)
		}
		l.say(l.labelsFile, 0, []parse.Advice{marksAdvice}, "nodes whose label says that they have none: %d%s", none, such)
	}
}

// errLabelList is of a JSON list that has no labels.
var errLabelList = errors.New("a list of labels wants one text or number at least, and nothing else")

// LabelList are the labels of a cell that is a JSON list, nil for other text.
func LabelList(cell string) (labels []string, err error) {
	if !strings.HasPrefix(cell, "[") || !json.Valid([]byte(cell)) {
		return nil, nil
	}
	if labels, err = source.Words([]byte(cell)); err != nil || len(labels) == 0 || slices.Contains(labels, "") {
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
	e.Encode(append(labels, label)) // text is never refused
	return strings.TrimSpace(b.String())
}
