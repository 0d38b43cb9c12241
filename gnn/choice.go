package gnn

import (
	"strings"

	"coles/internal/setting"
)

// Layers, objectives, optimizers, schedules, augmentations and samplers are choices with a text form:
// a name and, after a colon, arguments. One that a program has added is written custom:NAME; read
// again it has that name alone, and its functions must be set anew.

const (
	noneName   = "none"
	customName = "custom"
)

// A label is the text form of a choice taken apart; the zero value is no choice.
type label struct {
	name   string // the first word or, of a custom choice, what the program calls it
	args   []any
	custom bool
}

// some reports whether there is a choice.
func (l label) some() bool { return l.custom || l.name != "" }

// String returns the text form.
func (l label) String() string {
	switch {
	case l.custom:
		return setting.Text(customName, append([]any{l.name}, l.args...)...)
	case l.some():
		return setting.Text(l.name, l.args...)
	}
	return noneName
}

// checkName refuses a program's name that a text form cannot hold.
func (l label) checkName() error {
	if l.custom && (l.name == "" || strings.Contains(l.name, ",")) {
		return setting.Bad("name", l.name, "one without a comma")
	}
	return nil
}

// precise chooses between the float32 and the float64 spelling of a function: the one of type F.
func precise[F any](single, double any) F {
	if f, ok := single.(F); ok {
		return f
	}
	return double.(F)
}

// setAnew is for what was read from a file, which has its name but no functions.
const setAnew = "it set anew: there is no more than its name"
