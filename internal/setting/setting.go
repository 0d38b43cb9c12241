// Package setting holds what the settings of all packages share: the one text form of a value,
// names of choices, and JSON that refuses what it does not know.
//
// The text form of a value is its name and, after a colon, its numbers: "appnp:10,0.1". JSON,
// reports and the command use the same.
package setting

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ErrSetting: a setting outside its range, or none at all. The public packages give it under the
// same name.
var ErrSetting = errors.New("bad setting")

// An Error is an [ErrSetting] as the root package describes it.
type Error struct {
	Field string
	Value any
	Want  string
}

// Error is the field, its value and what is wanted.
func (e *Error) Error() string {
	text := ErrSetting.Error() + ": " + e.Field
	if s, ok := e.Value.(string); ok {
		text += fmt.Sprintf(" = %q", s)
	} else if e.Value != nil {
		text += fmt.Sprintf(" = %v", e.Value)
	}
	return text + ", want " + e.Want
}

// Is reports whether target is [ErrSetting].
func (e *Error) Is(target error) bool { return target == ErrSetting }

// Bad is an [*Error].
func Bad(field string, value any, want string, args ...any) error {
	return &Error{field, value, fmt.Sprintf(want, args...)}
}

// Name is the name of a choice, or its type and number where it has none.
func Name[T ~int](v T, names []string) string {
	if v < 0 || int(v) >= len(names) {
		return fmt.Sprintf("%T(%d)", v, int(v))
	}
	return names[v]
}

// Marshal is the name of a choice as text.
func Marshal[T ~int](v T, names []string) ([]byte, error) {
	if v < 0 || int(v) >= len(names) {
		return nil, Bad(TypeName(v), int(v), "%s", strings.Join(names, ", "))
	}
	return []byte(names[v]), nil
}

// Unmarshal sets v to the choice called text.
func Unmarshal[T ~int](v *T, text []byte, names []string) error {
	i := slices.Index(names, string(text))
	if i < 0 {
		return Parse(TypeName(*v), text).Unknown(names)
	}
	*v = T(i)
	return nil
}

// TypeName is the name of v's type in its package.
func TypeName(v any) string {
	name := fmt.Sprintf("%T", v)
	return name[strings.LastIndex(name, ".")+1:]
}

// Text is a name with its arguments, numbers or words: "s2gc:8,0.05".
func Text(name string, args ...any) string {
	words := make([]string, len(args))
	for i, a := range args {
		if v, ok := a.(float64); ok {
			words[i] = strconv.FormatFloat(v, 'g', -1, 64)
		} else {
			words[i] = fmt.Sprint(a)
		}
	}
	if len(words) == 0 {
		return name
	}
	return name + ":" + strings.Join(words, ",")
}

// A Form is a text taken apart. Its methods take arguments one by one; the first that is missing or
// no number ends it, and [Form.End] reports that.
type Form struct {
	Name  string // before the colon
	field string // for errors
	text  string
	args  []string
	err   error
}

// Parse takes apart the text of a setting, or type, of this name.
func Parse(field string, text []byte) *Form {
	name, rest, some := strings.Cut(string(text), ":")
	f := &Form{Name: name, field: field, text: string(text)}
	if some {
		f.args = strings.Split(rest, ",")
	}
	return f
}

// Rest is everything after the first colon, which is thereby taken.
func (f *Form) Rest() string {
	f.args = nil
	_, rest, _ := strings.Cut(f.text, ":")
	return rest
}

// Left is the number of arguments that are left.
func (f *Form) Left() int { return len(f.args) }

func (f *Form) next() string {
	if len(f.args) == 0 {
		f.fail("one more number")
		return ""
	}
	word := f.args[0]
	f.args = f.args[1:]
	return word
}

func (f *Form) fail(want string, args ...any) {
	if f.err == nil {
		f.err = Bad(f.field, f.text, want, args...)
	}
}

// Int takes a whole number.
func (f *Form) Int() int {
	word := f.next()
	v, err := strconv.Atoi(word)
	if err != nil {
		f.fail("a whole number for %q", word)
	}
	return v
}

// Float takes a finite number.
func (f *Form) Float() float64 {
	word := f.next()
	v, err := strconv.ParseFloat(word, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		f.fail("a number for %q", word)
	}
	return v
}

// Word takes the next argument if it is this word, and reports whether it is.
func (f *Form) Word(word string) bool {
	if len(f.args) == 0 || f.args[0] != word {
		return false
	}
	f.args = f.args[1:]
	return true
}

// End returns what was wrong with the text, an [ErrSetting], or nil.
func (f *Form) End() error {
	if len(f.args) > 0 {
		f.fail("no %q", strings.Join(f.args, ","))
	}
	return f.err
}

// Unknown is the error for a name that nothing has.
func (f *Form) Unknown(names []string) error {
	return Bad(f.field, f.text, "%s", strings.Join(names, ", "))
}

// UnmarshalJSON is json.Unmarshal that refuses members v does not have. Its errors are an
// [ErrSetting].
func UnmarshalJSON(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		err = errors.New("something follows the value")
	}
	if errors.Is(err, ErrSetting) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrSetting, err)
}
