package enum

import (
	"errors"
	"strings"
	"testing"
)

type colour int

var (
	colours = []string{"red", "green"}
	errBad  = errors.New("bad colour")
)

func TestNamesAreReadAsTheyWereWritten(t *testing.T) {
	for v := range colour(len(colours)) {
		text, err := Marshal(v, colours, errBad)
		if err != nil || string(text) != Name(v, colours) {
			t.Errorf("%d is written %q (%v), its name is %q", v, text, err, Name(v, colours))
		}
		read := colour(-1)
		if err := Unmarshal(&read, text, colours, errBad); err != nil || read != v {
			t.Errorf("%q is read as %d (%v), want %d", text, read, err, v)
		}
	}
}

func TestValuesWithoutNamesAreErrors(t *testing.T) {
	for _, v := range []colour{-1, 2} {
		if _, err := Marshal(v, colours, errBad); !errors.Is(err, errBad) {
			t.Errorf("%d: %v", v, err)
		}
		if !strings.Contains(Name(v, colours), "enum.colour(") {
			t.Errorf("the name of %d is %q", v, Name(v, colours))
		}
	}
	var v colour
	if err := Unmarshal(&v, []byte("blue"), colours, errBad); !errors.Is(err, errBad) || !strings.Contains(err.Error(), "red, green") {
		t.Errorf("an unknown name: %v", err)
	}
}
