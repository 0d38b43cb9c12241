package eval

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestSimilarityHasNamesInJSON(t *testing.T) {
	for _, want := range []Similarity{Cosine, DotProduct} {
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Similarity
		if err := json.Unmarshal(text, &got); err != nil || got != want || string(text) != `"`+want.String()+`"` {
			t.Errorf("%v: %s, %v, %v", want, text, got, err)
		}
	}
	var s Similarity
	if err := s.UnmarshalText([]byte("euclid")); !errors.Is(err, ErrParameter) {
		t.Errorf("unknown: error %v", err)
	}
	if _, err := Similarity(2).MarshalText(); !errors.Is(err, ErrParameter) {
		t.Errorf("without a name: error %v", err)
	}
}
