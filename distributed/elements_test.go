package distributed

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"coles"
	"coles/internal/testkit"
)

// A coder sends the frame of an example there and back.
type coder struct {
	example any
	frame   []byte
	again   func([]byte) ([]byte, error)
}

func coderOf[T any](example T) coder {
	return coder{example, frameOf(example), func(b []byte) ([]byte, error) {
		v, err := decoded[T](b)
		if err != nil {
			return nil, err
		}
		return encode(v)
	}}
}

func frameOf(v any) []byte { return testkit.Must(encode(v)) }

// coders are all of those that are frames, with an example of each kind.
func coders() []coder {
	pieces := []piece{
		{Block: &block{Columns: 2, Degree: []float64{1, 0, 3}, Data: []float64{1, 2, 3, 4, 5, 6}}},
		{Block: &block{Columns: 1, Data: []float64{0.1, -2}}},
		{Tile: &tile{Other: 3, Own: []int32{0, 5}, Mates: []int32{1, 2, 9}, Ptr: []int32{0, 2, 3}, Col: []int32{0, 2, 1}}},
		{Tile: &tile{Other: 0, Own: []int32{4}, Mates: []int32{7}, Ptr: []int32{0, 1}, Col: []int32{0}, Val: []float64{2.5}}},
		{Mates: &mates{Other: 7, Rows: []int32{1, 4}}},
		{Message: &message{From: 2, Columns: 2, Rows: []int32{3, 8}, Data: []float64{1, 2, 3, 4}}},
		{Message: &message{From: 2, Columns: 1, Data: []float64{1, 2, 0.3}}},
		{Mates: &mates{Other: 1, Rows: []int32{2}, Degree: []float64{4}}},
		{Tile: &tile{Ptr: []int32{0}, Counts: &tally{1, 2, 3, 4, 1}}},
	}
	var all []coder
	for _, p := range pieces {
		all = append(all, coderOf(p))
	}
	return append(all,
		coderOf(edgeChunk{U: []int64{1, 2}, V: []int64{3, 1 << 40}, Weight: []float64{1, 2}}),
		coderOf(rowChunk{First: 12, Columns: 3, Data: []float64{1, 2, 3, 4, 5, 6}}),
		coderOf(names{Names: []string{"a", "", "ö"}, Numbers: []int64{1, 2, 3}}),
		coderOf(names{Names: []string{"a"}, Other: []string{"b"}, Weight: []float64{2}}),
		coderOf(sums{Place: 5, Add: []float64{1, 2}, Most: []float64{3}}),
		coderOf(solution{Columns: 2, Lambda: []float64{3, 2}, Directions: []float64{1, 0, 0, 1}, Mean: []float64{0, 1}}),
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
	back, err := decoded[piece](frameOf(coders()[0].example.(piece)))
	if err != nil || !reflect.DeepEqual(back, coders()[0].example) {
		t.Errorf("%+v, %v", back, err)
	}
}

// TestPlaces takes a piece that stays in the program, once, and drops the pieces of a job that nobody takes.
func TestPlaces(t *testing.T) {
	p := piece{Mates: &mates{Other: 7, Rows: []int32{1, 4}}}
	frame, left, other := frameOf(park("a", p)), frameOf(park("a", p)), frameOf(park("b", p))
	if back, err := decoded[piece](frame); err != nil || back.Mates != p.Mates {
		t.Errorf("%+v, %v", back, err)
	}
	clearPlaces("a")
	for _, gone := range [][]byte{frame, left} {
		if back, err := decoded[piece](gone); !errors.Is(err, coles.ErrFormat) {
			t.Errorf("%+v, %v", back, err)
		}
	}
	if back, err := decoded[piece](other); err != nil || back.Mates != p.Mates {
		t.Errorf("%+v of another job, %v", back, err)
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
		"sums of other rows":      {Message: &message{Columns: 1, Rows: []int32{1}, Data: []float64{1, 2}}},
		"degrees of no row":       {Mates: &mates{Degree: []float64{1}}},
	} {
		if _, err := decoded[piece](frameOf(p)); !errors.Is(err, coles.ErrFormat) {
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
