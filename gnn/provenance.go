package gnn

import "coles"

// A Provenance says what a model was made of, how, and by which version: with the same
// input, settings and version a training makes it again, unless it listened to a
// validation, was resumed by more epochs, or drops features that were sparse where they are
// dense now: it draws for those that are stored.
type Provenance struct {
	// Input identifies the graph and the features: see [coles.HashInput].
	Input coles.InputHash `json:"input"`
	// Settings are those of the training, resolved; the seed is one of them.
	Settings Settings `json:"settings"`
	// Module is the version of this module in the program that trained, as
	// [coles.ModuleVersion] says, or "" in a model from a file of version 1.
	Module string `json:"module"`
	// Format is the version of the file that the model was read from, or of the one it
	// would be written to.
	Format int `json:"format"`
}

// Provenance tells where the model comes from. It is kept in its file.
func (m *Model) Provenance() Provenance {
	if m == nil || m.prepare == nil {
		return Provenance{}
	}
	return Provenance{m.input, m.settings.clone(), m.module, m.format}
}

// Provenance tells where the classifier comes from. It is kept in its file.
func (c *Classifier) Provenance() Provenance { return c.network().Provenance() }
