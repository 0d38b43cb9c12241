package setting

import "strings"

// The words of choices that are none or the program's own.
const (
	NoneName   = "none"
	CustomName = "custom"
)

// A Label is the text form of a choice taken apart; the zero value is no choice. One that a program has added is
// written custom:NAME.
type Label struct {
	Name   string // the first word or, of a custom choice, what the program calls it
	Args   []any
	Custom bool
}

// Some reports whether there is a choice.
func (l Label) Some() bool { return l.Custom || l.Name != "" }

// String returns the text form.
func (l Label) String() string {
	switch {
	case l.Custom:
		return Text(CustomName, append([]any{l.Name}, l.Args...)...)
	case l.Some():
		return Text(l.Name, l.Args...)
	}
	return NoneName
}

// CheckName refuses a program's name that a text form cannot hold.
func (l Label) CheckName() error {
	if l.Custom && (l.Name == "" || strings.Contains(l.Name, ",")) {
		return Bad("name", l.Name, "one without a comma")
	}
	return nil
}
