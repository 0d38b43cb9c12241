package main

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"
)

// A spec is a command.
type spec struct {
	name, usage, args string
	settings          bool     // a fit has some: its help says what they take
	first             []string // names of the options that most people need first, nil for all
	flags             []cli.Flag
	input             *inputOptions
	run               func(ctx context.Context, r *session) error
}

//go:embed help
var pages embed.FS

// page is what the help of a command says, and its examples.
func (of spec) page() (about, examples string) {
	text, err := pages.ReadFile("help/" + of.name + ".txt")
	if err != nil {
		panic(err) // a command without a page
	}
	about, examples, _ = strings.Cut(strings.TrimSpace(string(text)), "\n\nExamples:\n")
	return about, examples
}

// command makes a command whose -h is a page of a screen.
func command(s streams, of spec) *cli.Command {
	slices.SortStableFunc(of.flags, func(a, b cli.Flag) int { return groupOf(a) - groupOf(b) })
	c := &cli.Command{Name: of.name, Usage: of.usage, ArgsUsage: of.args, Flags: of.flags, Action: action(s, func(ctx context.Context, s *session) error {
		if err := s.begin(of.input); err != nil {
			return err
		}
		return of.run(ctx, s)
	})}
	c.CustomHelpTemplate, c.Metadata = of.short(), map[string]any{wholeHelp: of.whole()}
	return c
}

// wholeHelp is where a command keeps all that there is to say about it.
const wholeHelp = "whole help"

// groupOf is the place of an option's group.
func groupOf(f cli.Flag) int {
	of, _ := f.(cli.CategorizableFlag)
	return slices.Index(groups, group(of.GetCategory()))
}

// short is the help on one screen: what the command does, the options that most people need first, and examples.
func (of spec) short() string {
	about, examples := of.page()
	about, _, _ = strings.Cut(about, "\n\n")
	text := of.head(about, examples)
	var first []cli.Flag
	for _, f := range of.flags {
		if of.first == nil || slices.Contains(of.first, f.Names()[0]) {
			first = append(first, f)
		}
	}
	return text + strings.ReplaceAll(listed(first), ", see above", "") + fmt.Sprintf("\n\"coles help %s\" says more, and lists all %d options.\n", of.name, len(of.flags))
}

// whole is all that there is to say about a command.
func (of spec) whole() string {
	about, examples := of.page()
	if of.settings {
		about += "\n\n" + strings.TrimSuffix(settingForms, "\n")
	}
	text := of.head(about, examples)
	for k, g := range groups {
		var all []cli.Flag
		for _, f := range of.flags {
			if groupOf(f) == k {
				all = append(all, f)
			}
		}
		if all != nil {
			text += "  " + string(g) + "\n" + listed(all)
		}
	}
	return text
}

// head is the help without options.
func (of spec) head(about, examples string) string {
	return fmt.Sprintf("NAME:\n   coles %s - %s\n\nUSAGE:\n   coles %s [options] %s\n\nDESCRIPTION:\n%s\n\n   Examples:\n%s\n\nOPTIONS:\n",
		of.name, of.usage, of.name, of.args, indented(about), indented(examples))
}

// listed lists options.
func listed(flags []cli.Flag) string {
	var text strings.Builder
	t := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, f := range flags {
		fmt.Fprintf(t, "   %s\n", cli.FlagStringer(f))
	}
	t.Flush()
	return text.String()
}

func indented(text string) string {
	lines := strings.Split(text, "\n")
	for k, line := range lines {
		if line != "" {
			lines[k] = "   " + line
		}
	}
	return strings.Join(lines, "\n")
}
