package text

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"coles"
	"coles/internal/setting"
)

// Want demands a number of fields in the line.
func (t *Reader) Want(fields int) {
	if len(t.Fields) != fields {
		t.Fault(-1, "%w: %s, want %d", coles.ErrFormat, setting.Count(len(t.Fields), "fields"), fields)
	}
}

// Number is field k as a finite number, 0 after a fault.
func (t *Reader) Number(k int) float64 {
	if t.Err != nil {
		return 0
	}
	return t.NumberIn(k, t.Fields[k])
}

// NumberIn is a part of field k as a finite number.
func (t *Reader) NumberIn(k int, part string) float64 {
	v, err := Parse(part)
	if err != nil {
		t.Fault(k, "%w", err)
	}
	return v
}

// Parse is a finite number.
func Parse(text string) (float64, error) {
	v, err := parseFloat(text)
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && (math.IsNaN(v) || math.IsInf(v, 0)):
		return v, fmt.Errorf("%q: %w", text, coles.ErrNotFinite)
	case err != nil:
		return v, fmt.Errorf("%w: %q is not a number", coles.ErrFormat, text)
	}
	return v, nil
}

// Size is field k as a number of things, at most a bound.
func (t *Reader) Size(k int, most int64) int {
	if t.Err != nil {
		return 0
	}
	v, err := strconv.Atoi(t.Fields[k])
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && int64(v) > most:
		t.Fault(k, "%s: %w (at most %d)", t.Fields[k], coles.ErrTooLarge, most)
	case err != nil || v < 0:
		t.Fault(k, "%w: %q is not a size", coles.ErrFormat, t.Fields[k])
	}
	return v
}

// Index is field k as one of n things, which the file counts from first on, counted from 0.
func (t *Reader) Index(k, first, n int) int {
	if t.Err != nil {
		return 0
	}
	v, err := strconv.Atoi(t.Fields[k])
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && (v < first || v-first >= n):
		t.Fault(k, "%s of %d to %d: %w", t.Fields[k], first, n-1+first, coles.ErrIndex)
	case err != nil:
		t.Fault(k, "%w: %q is not a whole number", coles.ErrFormat, t.Fields[k])
	}
	return v - first
}

// IsNumber reports whether a field is a number, finite or not.
func IsNumber(field string) bool {
	_, err := parseFloat(field)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// elements are the parts of a list in brackets, perhaps as array([…]). Between them are commas, as in JSON, or
// blanks, as NumPy prints them. Three parts or more need no brackets.
func elements(cell string) (parts []string, bare bool) {
	cell = strings.TrimSpace(cell)
	for _, name := range []string{"array(", "tensor("} {
		if inside, ok := strings.CutPrefix(cell, name); ok {
			cell = inside[:strings.LastIndexByte(inside, ']')+1] // without what type it has
		}
	}
	if len(cell) < 2 {
		return nil, false
	}
	bare = true
	for _, brackets := range []string{"[]", "()", "{}"} {
		if cell[0] == brackets[0] && cell[len(cell)-1] == brackets[1] {
			cell, bare = cell[1:len(cell)-1], false
			break
		}
	}
	parts = strings.FieldsFunc(cell, func(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) })
	if bare && len(parts) < 3 {
		return nil, bare
	}
	return parts, bare
}

// IsList reports whether a cell is a list that begins with a number or, without brackets, has nothing but three or more.
func IsList(cell string) bool {
	if !strings.ContainsAny(cell, "0123456789") || !strings.ContainsAny(cell, ",; ])}") { // most cells
		return false
	}
	all, bare := elements(cell)
	return len(all) > 0 && IsNumber(all[0]) && (!bare || !slices.ContainsFunc(all, func(part string) bool { return !IsNumber(part) }))
}

// BareList is how many numbers a list without brackets has, 0 for any other cell.
func BareList(cell string) int {
	if all, bare := elements(cell); bare && IsList(cell) {
		return len(all)
	}
	return 0
}

// List are the finite numbers of a list.
func List(cell string) ([]float64, error) {
	all, _ := elements(cell)
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: %.40q is not a list of numbers", coles.ErrFormat, cell)
	}
	numbers := make([]float64, len(all))
	for k, part := range all {
		var err error
		if numbers[k], err = Parse(part); err != nil {
			return nil, fmt.Errorf("number %d of the list: %w", k+1, err)
		}
	}
	return numbers, nil
}

// parseFloat is strconv's without what other programs do not take for numbers: 1_000 and 0x1p4.
func parseFloat(text string) (float64, error) {
	for k := range len(text) {
		if c := text[k]; c == '_' || c|0x20 == 'x' {
			return 0, strconv.ErrSyntax
		}
	}
	return strconv.ParseFloat(text, 64)
}

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
