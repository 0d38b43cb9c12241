package prepare

import (
	"encoding/json"
	"fmt"
	"math"

	"coles/internal/archive"
	"coles/internal/setting"
)

// MarshalText gives the name of a kind.
func (k Kind) MarshalText() ([]byte, error) { return setting.Marshal(k, Names) }

// UnmarshalText reads the name of a kind.
func (k *Kind) UnmarshalText(text []byte) error { return setting.Unmarshal(k, text, Names) }

// plain is a preparer without methods.
type plain Preparer

// UnmarshalJSON reads a preparer.
//
// Errors: [archive.ErrFormat] for JSON of another form, or with numbers that no preparer has.
func (p *Preparer) UnmarshalJSON(text []byte) error {
	var read plain
	if err := json.Unmarshal(text, &read); err != nil {
		return fmt.Errorf("preparer: %w: %w", archive.ErrFormat, err)
	}
	weights, means, ok := read.How.Keeps(read.Columns)
	if !ok || read.Columns < 1 || read.Columns > math.MaxInt32 || len(read.Weight) != weights || len(read.Mean) != means {
		how, _ := read.How.MarshalText()
		return fmt.Errorf("preparer: %w: %s of %d columns with %d weights and %d means", archive.ErrFormat, how, read.Columns, len(read.Weight), len(read.Mean))
	}
	if err := CheckBlocks(read.How, read.Columns, read.Blocks); err != nil {
		return fmt.Errorf("preparer: %w: %w", archive.ErrFormat, err)
	}
	if err := CheckUsed(read.Columns, read.Used, read.Of); err != nil {
		return fmt.Errorf("preparer: %w: %w", archive.ErrFormat, err)
	}
	*p = Preparer(read)
	return nil
}

// CheckUsed refuses columns that no preparer keeps.
func CheckUsed(columns int, used []int32, of int) error {
	last := int32(-1)
	for _, j := range used {
		if j <= last || int(j) >= of {
			return fmt.Errorf("column %d of %d is kept behind %d", j, of, last)
		}
		last = j
	}
	if used != nil && len(used) != columns {
		return fmt.Errorf("%d columns, of which %d are kept", columns, len(used))
	}
	return nil
}

// CheckBlocks refuses blocks that no preparer of a kind has.
func CheckBlocks(k Kind, columns int, blocks []Block) error {
	last := 0
	for _, b := range blocks {
		if k != Vectors && k != Balanced || b.From < last || b.To <= b.From || b.To > columns || !(b.Length > 0 && b.Length <= math.MaxFloat64) {
			return fmt.Errorf("a block from column %d to %d of %d, of length %v", b.From, b.To, columns, b.Length)
		}
		last = b.To
	}
	return nil
}
