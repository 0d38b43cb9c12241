package strict

import (
	"errors"
	"testing"
)

var errBad = errors.New("bad")

// An own value reads itself, and fails.
type own struct{}

func (*own) UnmarshalJSON([]byte) error { return errBad }

func TestUnmarshal(t *testing.T) {
	for text, ok := range map[string]bool{
		`{"a":1}`: true, ` {"a":1} `: true, `{}`: true,
		`{"b":1}`: false, `{"a":"1"}`: false, `{"a":1}{}`: false, `{"a":1} x`: false, `{"a":1`: false, ``: false, `{"own":0}`: false,
	} {
		var v struct {
			A   int  `json:"a"`
			Own *own `json:"own"`
		}
		err := Unmarshal([]byte(text), &v, errBad)
		if (err == nil) != ok || err != nil && !errors.Is(err, errBad) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
