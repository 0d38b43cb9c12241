package distributed

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"coles"
)

// A coder sends the frame of an example there and back.
type coder struct {
	example any
	frame   []byte
	again   func([]byte) ([]byte, error)
}

func coderOf[T any](encode func(T) []byte, decode func([]byte) (T, error), example T) coder {
	return coder{example, encode(example), func(b []byte) ([]byte, error) {
		v, err := decode(b)
		if err != nil {
			return nil, err
		}
		return encode(v), nil
	}}
}

// coders are all of those that are frames, with an example of each kind.
func coders() []coder {
	pieces := []piece{
		{Block: &block{Columns: 2, Degree: []float64{1, 0, 3}, Data: []float64{1, 2, 3, 4, 5, 6}}},
		{Block: &block{Columns: 1, Single: true, Data: []float64{0.5, -2}}},
		{Tile: &tile{Other: 3, Own: []int32{0, 5}, Mates: []int32{1, 2, 9}, Ptr: []int32{0, 2, 3}, Col: []int32{0, 2, 1}}},
		{Tile: &tile{Other: 0, Own: []int32{4}, Mates: []int32{7}, Ptr: []int32{0, 1}, Col: []int32{0}, Val: []float64{2.5}}},
		{Mates: &mates{Other: 7, Rows: []int32{1, 4}}},
		{Message: &message{From: 2, Kind: ofSums, Columns: 2, Rows: []int32{3, 8}, Data: []float64{1, 2, 3, 4}}},
		{Message: &message{From: 2, Kind: ofRows, Columns: 1, Single: []float32{1, 2, 3}}},
		{Presence: &presence{From: 1, Rows: []int32{2}, Degree: []float64{4}, Counts: tally{1, 2, 3, 4, 1}}},
	}
	var all []coder
	for _, p := range pieces {
		all = append(all, coderOf(encodePiece, decodePiece, p))
	}
	return append(all,
		coderOf(encodeEdges, decodeEdges, EdgeChunk{U: []int64{1, 2}, V: []int64{3, 1 << 40}, Weight: []float64{1, 2}}),
		coderOf(encodeRows, decodeRows, Rows{First: 12, Columns: 3, Data: []float64{1, 2, 3, 4, 5, 6}}),
		coderOf(encodeCells, decodeCells, cells{U: []int32{1, 2}, V: []int64{3, 4}, Weight: []float64{1, 2}}),
		coderOf(encodeNames, decodeNames, names{Names: []string{"a", "", "ö"}, Numbers: []int64{1, 2, 3}}),
		coderOf(encodeNames, decodeNames, names{Names: []string{"a"}, Other: []string{"b"}, Weight: []float64{2}}),
		coderOf(encodeSums, decodeSums, sums{Place: 5, Add: []float64{1, 2}, Most: []float64{3}}),
		coderOf(encodeSolution, decodeSolution, solution{Columns: 2, Lambda: []float64{3}, Directions: []float64{1, 0, 0, 1}, Mean: []float64{0, 1}}),
	)
}

// TestFrames sends every kind of element there and back, and cuts, stretches and changes its frame.
func TestFrames(t *testing.T) {
	for _, c := range coders() {
		b := c.frame
		again, err := c.again(b)
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%T: %+v does not come back: %v", c.example, c.example, err)
		}
		for cut := range len(b) {
			if _, err := c.again(b[:cut]); !errors.Is(err, coles.ErrFormat) {
				t.Errorf("%T: a frame cut at %d of %d: %v", c.example, cut, len(b), err)
			}
		}
		if _, err := c.again(append(bytes.Clone(b), 0)); !errors.Is(err, coles.ErrFormat) {
			t.Errorf("%T: a frame with a byte more: %v", c.example, err)
		}
	}
	back, err := decodePiece(encodePiece(coders()[0].example.(piece)))
	if err != nil || !reflect.DeepEqual(back, coders()[0].example) {
		t.Errorf("%+v, %v", back, err)
	}
}

// TestLies are frames whose parts do not fit each other.
func TestLies(t *testing.T) {
	for name, p := range map[string]piece{
		"degrees of other rows":   {Block: &block{Columns: 2, Degree: []float64{1}, Data: []float64{1, 2, 3, 4}}},
		"half a row":              {Block: &block{Columns: 2, Data: []float64{1, 2, 3}}},
		"no columns":              {Block: &block{Columns: 0, Data: []float64{1}}},
		"column beyond":           {Tile: &tile{Own: []int32{0}, Mates: []int32{1}, Ptr: []int32{0, 1}, Col: []int32{1}}},
		"negative column":         {Tile: &tile{Own: []int32{0}, Mates: []int32{1}, Ptr: []int32{0, 1}, Col: []int32{-1}}},
		"rows overlap":            {Tile: &tile{Own: []int32{0, 1}, Mates: []int32{1}, Ptr: []int32{0, 2, 1}, Col: []int32{0}}},
		"row twice":               {Mates: &mates{Rows: []int32{2, 2}}},
		"values of other entries": {Tile: &tile{Own: []int32{0}, Mates: []int32{1}, Ptr: []int32{0, 1}, Col: []int32{0}, Val: []float64{1, 2}}},
		"sums of other rows":      {Message: &message{Kind: ofSums, Columns: 1, Rows: []int32{1}, Data: []float64{1, 2}}},
		"rows that say where":     {Message: &message{Kind: ofRows, Columns: 1, Rows: []int32{1}, Data: []float64{1}}},
		"both precisions":         {Message: &message{Columns: 1, Data: []float64{1}, Single: []float32{1}}},
		"kind unknown":            {Message: &message{Kind: 9, Columns: 1, Data: []float64{1}}},
		"degrees of no row":       {Presence: &presence{Degree: []float64{1}}},
	} {
		if _, err := decodePiece(encodePiece(p)); !errors.Is(err, coles.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzFrames wants of any bytes a named error, or an element whose frame reads the same again, and never
// a panic or memory that is not there.
func FuzzFrames(f *testing.F) {
	for _, c := range coders() {
		f.Add(c.frame)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, c := range coders() {
			once, err := c.again(b)
			if err != nil {
				if !errors.Is(err, coles.ErrFormat) {
					t.Errorf("%T: %v", c.example, err)
				}
				continue
			}
			twice, err := c.again(once)
			if err != nil || !bytes.Equal(once, twice) {
				t.Errorf("%T: %x becomes %x, %v", c.example, once, twice, err)
			}
		}
	})
}
