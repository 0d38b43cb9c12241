// Package place says in which file, and where, a fault is.
package place

import (
	"errors"
	"fmt"

	"coles/dataset/parse"
	"coles/internal/source"
	"coles/internal/text"
)

// The faults that package dataset names.
var (
	ErrMissing   = errors.New("missing part")
	ErrDuplicate = errors.New("given twice")
)

// Header is what to do about a first line.
var Header = parse.Advice{Field: "Header", Says: "whether the first line is a header"}

type advised struct {
	error
	advice []parse.Advice
}

func (e *advised) Unwrap() error { return e.error }

// Advise is an error with this advice, which In hands on.
func Advise(err error, advice ...parse.Advice) error { return &advised{err, advice} }

// Fault is a fault that concerns a file as a whole.
func Fault(file, format string, args ...any) error { return In(file, fmt.Errorf(format, args...)) }

// In puts a fault into a file: at a line or a byte if it names one, and as it is if it has its place.
func In(file string, err error) error {
	var at *parse.Error
	if err == nil || errors.As(err, &at) {
		return err
	}
	at = &parse.Error{File: file, Offset: -1, Err: err}
	var help *advised
	if errors.As(err, &help) {
		at.Advice = append(at.Advice, help.advice...)
	}
	var line *text.Error
	var byte *source.Error
	switch {
	case errors.As(err, &line):
		at.Line, at.Column, at.Offset, at.Err = line.Line, line.Column, 0, line.Err
		if line.MaybeHeader {
			at.Advice = append(at.Advice, Header)
		}
	case errors.As(err, &byte):
		at.Offset, at.Err = byte.Offset, byte.Err
	}
	return at
}
