package main

import (
	"fmt"

	"github.com/urfave/cli/v3"
)

// A group is a heading of options in the help of a command.
type group string

const (
	ofInput   group = "input"
	ofColumns group = "columns"
	ofModel   group = "model"
	ofAnswer  group = "answer"
	ofOutput  group = "output"
)

// groups are all, in the order of the help.
var groups = []group{ofInput, ofColumns, ofModel, ofAnswer, ofOutput}

// text is an option for a text.
func (g group) text(to *string, name, usage string) *cli.StringFlag {
	return &cli.StringFlag{Name: name, Category: string(g), Usage: usage, Destination: to}
}

// file is an option that takes the name of a file, which is never empty: that is a shell variable not set.
func (g group) file(to *string, name, usage string) *cli.StringFlag {
	f := g.text(to, name, usage)
	f.Validator = func(s string) error {
		if s == "" {
			return fmt.Errorf("-%s: an empty file name", name)
		}
		return nil
	}
	return f
}

// whole is an option for a whole number.
func (g group) whole(to *int, name, usage string) *cli.IntFlag {
	return &cli.IntFlag{Name: name, Category: string(g), Usage: usage, Destination: to, HideDefault: true}
}

// usually is [group.whole] with a default that the help names.
func (g group) usually(to *int, name string, value int, usage string) *cli.IntFlag {
	f := g.whole(to, name, usage)
	f.Value, f.HideDefault = value, false
	return f
}

// number is an option for a number.
func (g group) number(to *float64, name, usage string) *cli.FloatFlag {
	return &cli.FloatFlag{Name: name, Category: string(g), Usage: usage, Destination: to, HideDefault: true}
}

// seed is the option for random draws.
func (g group) seed(to *uint64) cli.Flag {
	return &cli.Uint64Flag{Name: "seed", Category: string(g), Usage: "`SEED` of all random draws (default: 1)", Destination: to, Value: 1, HideDefault: true}
}

// yes is an option that is given or not.
func (g group) yes(to *bool, name, usage string) *cli.BoolFlag {
	return &cli.BoolFlag{Name: name, Category: string(g), Usage: usage, Destination: to}
}

// namesOf are the names of options.
func namesOf(flags []cli.Flag) (names []string) {
	for _, f := range flags {
		names = append(names, f.Names()[0])
	}
	return names
}
