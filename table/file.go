package table

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"coles/internal/archive"
)

// fileFormat marks the file of an encoder. It has no arrays.
var fileFormat = archive.Format{Magic: [8]byte([]byte("COLESTAB")), Version: 1}

type fileHeader struct {
	Variables []Variable `json:"variables"`
}

// WriteTo writes the encoder in a versioned format that ends in a checksum. The command coles keeps a model and
// its encoder in one file, the encoder last.
func (e *Encoder) WriteTo(w io.Writer) (int64, error) {
	n, err := fileFormat.Write(w, fileHeader{e.variables})
	if err != nil {
		return n, fmt.Errorf("table: write encoder: %w", err)
	}
	return n, nil
}

// ReadEncoder reads what [Encoder.WriteTo] wrote, and no byte more.
//
// Errors: coles.ErrFormat for bytes that are no encoder or an unknown version, coles.ErrChecksum for an encoder
// that was changed or cut off, and the reader's.
func ReadEncoder(r io.Reader) (e *Encoder, err error) {
	_, err = fileFormat.Read(r, func(text []byte) ([]int, error) {
		var h fileHeader
		if err := json.Unmarshal(text, &h); err != nil {
			return nil, err
		}
		for i := range h.Variables {
			if err := h.Variables[i].check(); err != nil {
				return nil, fmt.Errorf("column %q: %w", h.Variables[i].Name, err)
			}
		}
		e, err = newEncoder(h.Variables)
		return nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("table: read encoder: %w", err)
	}
	return e, nil
}

// check finds what no encoder has learned.
func (v *Variable) check() error {
	numbers := v.Kind == Number || v.Kind == Date
	switch {
	case v.Kind <= Detect || v.Kind > Vector:
		return fmt.Errorf("kind %v", v.Kind)
	case len(v.Names) > mostNames[v.Kind] || v.hasRare() && (v.Kind != Category || v.Names == nil) || v.Open && v.Rare != nil:
		return fmt.Errorf("%d names of a %v, %d of rare ones", len(v.Names), v.Kind, len(v.Rare))
	case disordered(v.Names) || disordered(v.Rare):
		return fmt.Errorf("names in no order")
	case v.Between != "" && (v.Kind != Category || !slices.Contains(separators, v.Between)):
		return fmt.Errorf("%q between the values of a %v", v.Between, v.Kind)
	case v.Number != nil && (!numbers || !(v.Number.Unit > 0 && v.Number.Deviation > 0) || v.Number.Log && v.Number.Least < 0):
		return fmt.Errorf("scale %+v of a %v", *v.Number, v.Kind)
	case v.Vector != nil && (v.Kind != Vector || len(v.Vector.Mean) == 0 || !(v.Vector.Unit > 0)):
		return fmt.Errorf("a vector of %d numbers in the unit %v, of a %v", len(v.Vector.Mean), v.Vector.Unit, v.Kind)
	}
	return nil
}

// disordered reports whether names are not ascending.
func disordered(names []string) bool {
	return !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) < len(names)
}
