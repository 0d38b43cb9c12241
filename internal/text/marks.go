package text

import (
	"slices"
	"strings"
)

// Marks stand in a file for nothing, as an empty field does; nil are the usual ones.
type Marks []string

// usualMarks are the marks that programs write. None is longer than longestMark, and each begins with a byte of firstOfMark.
// Nan, Na and Nil are people.
var usualMarks = strings.Fields(`NA na N/A n/a NaN nan NAN -NaN -nan NULL null None none NONE nil NIL NaT ? - -- . \N <NA> <na> #N/A #NA`)

const longestMark, firstOfMark = 4, `nN?-.\<#`

// IsMark reports whether a field stands for no value: empty, NaT, #N/A, #NA, \N, ?, -, -- or a dot; or NA, N/A, NaN,
// -NaN, NULL, None, nil or <NA>, in capitals or small letters as programs write them. There may be space around it.
func IsMark(field string) bool { return isMark(nil, strings.TrimSpace(field)) }

func isMark[T string | []byte](marks Marks, field T) bool {
	switch {
	case len(field) == 0:
		return true
	case marks != nil:
		return slices.Contains(marks, string(field))
	case len(field) > longestMark || strings.IndexByte(firstOfMark, field[0]) < 0:
		return false
	}
	return slices.Contains(usualMarks, string(field))
}

// IsMark reports whether field k says nothing: it is empty, or a mark that does not stand in quotes.
func (t *Reader) IsMark(k int) bool {
	return t.Fields[k] == "" || !t.quoted[k] && isMark(t.Marks, t.Fields[k])
}
