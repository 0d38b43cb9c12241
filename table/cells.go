package table

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"coles"
	filed "coles/internal/text"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"
)

// IsHole reports whether a cell is a missing value, with space around it or not. These are: empty; NA, N/A, NaN, -NaN, NULL,
// None, nil or <NA>, in capitals or small letters as programs write them; NaT, #N/A, #NA, \N, ?, -, -- or a dot. That holds
// for every kind of column, as in pandas. Namibia is NAM, not NA, but where its reader knows better, see [Column].
func IsHole(cell string) bool { return filed.IsMark(cell) }

// HasHole reports whether a cell of a row is a hole, but for columns to be ignored.
func (t *Table) HasHole(row int) bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Kind != Ignore && c.lacks(c.Cells[row], c.Kind) })
}

// decimalComma is a number such as 0,5, or one with commas between thousands.
var decimalComma = regexp.MustCompile(`^[+-]?\d+(,\d+)+(\.\d+)?$`)

// parseNumber is a cell as a finite number.
func parseNumber(cell string) (float64, error) {
	cell = strings.TrimSpace(cell)
	v, err := filed.Parse(cell)
	if errors.Is(err, coles.ErrFormat) && decimalComma.MatchString(cell) {
		err = fmt.Errorf("%w: %q has a comma; write 0.5 and 1000", coles.ErrFormat, cell)
	}
	return v, err
}

// isoLayouts are dates as in ISO 8601, which may have fractions of seconds, and zones as Go, pandas and PostgreSQL
// write them.
var isoLayouts = []string{
	time.DateOnly,
	"2006-01-02T15:04:05", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07",
	"2006-01-02T15:04", "2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700", "2006-01-02T15:04Z07",
}

// otherLayouts are unambiguous: no month comes before its day between slashes.
var otherLayouts = []string{"2006/01/02", "2006/01/02 15:04:05", "2.1.2006", "2.1.2006 15:04", "2.1.2006 15:04:05"}

// isNumber reports whether a cell is meant for a number, be it written as one cannot be read.
func isNumber(cell string) bool { return filed.IsNumber(cell) || decimalComma.MatchString(cell) }

// date is a cell as the seconds since 1970, a date without a zone in UTC.
func date(cell string) (seconds float64, ok bool) {
	if cell == "" || cell[0] < '0' || cell[0] > '9' { // most text
		return 0, false
	}
	layouts := otherLayouts
	if len(cell) > 4 && cell[4] == '-' {
		layouts = isoLayouts
		if day := len(time.DateOnly); len(cell) > day && cell[day] == ' ' {
			cell = cell[:day] + "T" + cell[day+1:]
		}
	}
	for _, layout := range layouts {
		if when, err := time.Parse(layout, cell); err == nil {
			return float64(when.Unix()) + float64(when.Nanosecond())/1e9, true
		}
	}
	return 0, false
}

// composed is text in the one form of each character (NFC).
func composed(text string) string { return norm.NFC.String(text) }

// written is the text of a cell.
func written(cell string) string {
	return composed(strings.ToValidUTF8(strings.TrimSpace(cell), "\ufffd"))
}

// whole is a whole number with a fraction of zeros, and scientific a number with a signed exponent, which no code
// such as 12e4 has.
var (
	whole      = regexp.MustCompile(`^-?(0|[1-9]\d*)\.0+$`)
	scientific = regexp.MustCompile(`^-?\d(\.\d+)?[eE][+-]\d+$`)
)

// canonical is the one form of a category's value, however a program writes it: true and false in lower case, a whole
// number without a fraction, any number without an exponent. Versions such as 1.1 and 1.10 and codes such as 007 stay.
func canonical(name string) string {
	switch {
	case strings.EqualFold(name, "true"), strings.EqualFold(name, "false"):
		return strings.ToLower(name)
	case name == "" || name[0] != '-' && (name[0] < '0' || name[0] > '9'): // most values
	case whole.MatchString(name):
		name, _, _ = strings.Cut(name, ".")
	case scientific.MatchString(name):
		if v, err := strconv.ParseFloat(name, 64); err == nil {
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	return name
}

// value is the value of a category's cell, as it is compared.
func value(cell string) string { return canonical(written(cell)) }

// eachWord calls f with the words of a cell.
func eachWord(cell string, f func(word string)) {
	for segments := words.FromString(composed(strings.ToLower(written(cell)))); segments.Next(); {
		word := segments.Value()
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			f(word)
		}
	}
}

// detect is the kind of a column, and what stands between the values of a category, by its cells; any once ctx is done.
func (c *Column) detect(ctx context.Context) (Kind, string) {
	if c.Kind != Detect {
		return c.Kind, ""
	}
	known, numbers, dates, lists, total := 0, 0, 0, 0, 0
	different, widths := make(map[string]bool), make(map[int]bool) // of lists without brackets, too
	for i, cell := range c.Cells {
		if i%rowsAtOnce == 0 && ctx.Err() != nil {
			return Ignore, ""
		}
		if IsHole(cell) {
			continue
		}
		known++
		if isNumber(strings.TrimSpace(cell)) {
			numbers++
		} else if _, ok := date(strings.TrimSpace(cell)); ok {
			dates++
		} else if filed.IsList(cell) {
			lists++
			if width := filed.BareList(cell); width > 0 {
				different[cell], widths[width] = true, true
			}
		} else {
			different[cell] = true
		}
	}
	const most = .95 // nineteen in twenty
	switch {
	case known == 0:
		return Ignore, ""
	case float64(numbers) >= most*float64(known):
		return Number, ""
	case float64(dates) >= most*float64(known):
		return Date, ""
	case float64(lists) >= most*float64(known) && len(widths) <= 1:
		return Vector, ""
	}
	if mark := between(different); mark != "" {
		return Category, mark
	}
	for cell := range different {
		eachWord(cell, func(string) { total++ })
	}
	words := float64(total) / float64(max(len(different), 1))
	if words >= 2 && 2*len(different) > known || words >= 8 {
		return Text, ""
	}
	return Category, ""
}

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
