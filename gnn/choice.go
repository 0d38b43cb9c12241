package gnn

import "coles/internal/setting"

// Layers, objectives, optimizers, schedules, augmentations and samplers are choices with a text form:
// a name and, after a colon, arguments. One that a program has added is written custom:NAME; read
// again it has that name alone, and its functions must be set anew.

const (
	noneName   = setting.NoneName
	customName = setting.CustomName
)

// label is the text form of a choice taken apart.
type label = setting.Label

// precise chooses between the float32 and the float64 spelling of a function: the one of type F.
func precise[F any](single, double any) F {
	if f, ok := single.(F); ok {
		return f
	}
	return double.(F)
}

// setAnew is for what was read from a file, which has its name but no functions.
const setAnew = "it set anew: there is no more than its name"
