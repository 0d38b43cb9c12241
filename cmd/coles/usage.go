package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"coles"
	"coles/task"

	"github.com/hbollon/go-edlib"
	"github.com/urfave/cli/v3"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// A usageError is a command line that makes no sense.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// options are the options that set what the libraries call by these names, and what some of them take.
var options = map[string]string{
	"Dim": "-dim", "Kappa": "-kappa", "Eta": "-eta", "Filter": "-filter", "Negatives": "-negatives", "WeightSpan": "-weight-span",
	"Structure": "-structure", "Kind": "-kind", "By": "-by", "Ignore": "-ignore", "Unweighted": "-unweighted",
	"Header": "-header yes or no", "Missing": "-missing zero, mean or drop", "MissingRows": "-missing-rows zero, mean or drop",
	"Bipartite": "-bipartite", "Repeats": "-repeats sum, max or first", "MissingMarks": "-missing-marks", "SkipUnknown": "-skip-unknown", "Columns": "-columns", "Weight": "-weight", "LabelColumn": "-labels FILE:COLUMN", "Format": "-from", "Kinds": "-categorical, -text, -numeric or -ignore", "Nearest": "-knn", "LabelsAs": "-labels-as", "IDs": "-ids",
}

// wanted is the text of a bad setting that an option has made.
func wanted(option string, bad *coles.SettingError) string {
	return fmt.Sprintf("%s %v: want %s", option, bad.Value, bad.Want)
}

// badOption is the error of what an option says, by that of reading it.
func badOption(name string, err error) error {
	if bad := (*coles.SettingError)(nil); errors.As(err, &bad) {
		return usageError{wanted("-"+name, bad)}
	}
	return err
}

// oneLine is the text of an error in one line, whatever an id or a file name contains. It begins with file and line where
// there are such, not with the package, and names options in the place of fields.
func oneLine(err error) string {
	n := task.NoteOf(err)
	text := n.Text + advice(n.Advice)
	if bad := (*coles.SettingError)(nil); errors.As(err, &bad) && options[bad.Field] != "" {
		option, _, _ := strings.Cut(options[bad.Field], " ")
		text = wanted(option, bad)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ReplaceAll(text, "\n", "; "))
}

// badUsage puts the flag library's errors, which are text alone, in our words, and keeps it from printing help
// below them.
func badUsage(_ context.Context, c *cli.Command, err error, _ bool) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		var names []string
		for _, f := range c.Flags {
			names = append(names, f.Names()...)
		}
		return usagef("unknown option -%s%s", name, didYouMean("-", name, names))
	}
	var value, name, parser string
	if n, _ := fmt.Sscanf(text, "invalid value %q for flag -%s strconv.%s", &value, &name, &parser); n < 3 {
		return usageError{text}
	}
	want := map[string]string{
		"ParseInt:": "want a whole number", "ParseUint:": "want a whole number from 0 on", "ParseFloat:": "want a number", "ParseBool:": "want true or false",
	}[parser]
	if strings.HasSuffix(text, strconv.ErrRange.Error()) {
		want = "out of range"
	}
	return usagef("-%s %q: %s", strings.TrimSuffix(name, ":"), value, want)
}

// didYouMean asks whether what was typed is the nearest of some names, if one is near: a third of
// its letters wrong or swapped, but at most three, or one. Accents and capitals do not count.
func didYouMean(prefix, typed string, names []string) string {
	letters := inLetters()
	a := letters(typed)
	length := len([]rune(a))
	best, least := "", min(max(1, length/3), 3, length-1)+1
	for _, name := range names {
		b := letters(name)
		if more := len(b) - len(a); more > 4*least || more < -4*least { // of at most four bytes each
			continue
		}
		if d := edlib.OSADamerauLevenshteinDistance(a, b); d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(": did you mean %s%s?", prefix, best)
}

// inLetters returns what makes small letters of text, without accents.
func inLetters() func(string) string {
	plain := transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC)
	return func(s string) string {
		s, _, _ = transform.String(plain, s) // no error comes of text
		return strings.ToLower(s)
	}
}
