package table

import (
	"fmt"

	"coles"
)

// asIs makes a feature of a number without changing it. No learned scale does: if the largest size is 1 and most are 0, the
// mean square is below 1.
var asIs = Scale{Unit: 1, Deviation: 1}

// AsIs returns an encoder that leaves numbers as they are, in columns of these names: it tells a model which column is which.
// A hole is 0. A reader that knows the encoder replaces it by the column's mean, or by that of its file where means is nil.
//
// Errors: coles.ErrIDs for two columns of one name, coles.ErrShape for none, or for another number of means.
func AsIs(columns []string, means []float64) (*Encoder, error) {
	if means != nil && len(means) != len(columns) {
		return nil, fmt.Errorf("table: %d means of %d columns: %w", len(means), len(columns), coles.ErrShape)
	}
	variables := make([]Variable, len(columns))
	for j, name := range columns {
		variables[j] = Variable{Name: name, Kind: Number, Number: &asIs}
		if means != nil {
			variables[j].Fill = &means[j]
		}
	}
	return newEncoder(variables)
}

// AsIs reports whether the features are numbers as they are, see [AsIs]. It is false for nil.
func (e *Encoder) AsIs() bool {
	return e != nil && len(e.variables) > 0 && e.variables[0].Number != nil && e.Features() == len(e.variables) && *e.variables[0].Number == asIs
}
