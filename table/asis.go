package table

// asIs makes a feature of a number without changing it. No scale that is learned does: if the largest size is 1 and
// most are 0, the mean square is below 1.
var asIs = Scale{Unit: 1, Deviation: 1}

// AsIs returns an encoder whose features are numbers as they are, in columns of these names: it tells a model of such
// features which column is which. A hole is 0, where a reader does not put the mean in its place.
//
// Errors: coles.ErrIDs for two columns of one name, coles.ErrShape for none.
func AsIs(columns ...string) (*Encoder, error) {
	variables := make([]Variable, len(columns))
	for j, name := range columns {
		variables[j] = Variable{Name: name, Kind: Number, Number: &asIs}
	}
	return newEncoder(variables)
}

// AsIs reports whether the features are numbers as they are, see [AsIs]. It is false for nil.
func (e *Encoder) AsIs() bool {
	return e != nil && e.Features() == len(e.variables) && *e.variables[0].Number == asIs
}
