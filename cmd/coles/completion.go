package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
)

// bashCompletion asks the program for the words that may come, a line "word" or "word:what it is"
// each. Unlike the script of the flag library it needs no package bash-completion. Where there are
// none, names of files are completed.
const bashCompletion = `_coles() {
  local cur="${COMP_WORDS[COMP_CWORD]}"
  local -a words=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
  [[ "$cur" == -* ]] && words+=("$cur")
  COMPREPLY=($(compgen -W "$("${1/#\~/$HOME}" "${words[@]}" --generate-shell-completion 2>/dev/null | cut -d: -f1)" -- "$cur"))
}
complete -o bashdefault -o default -F _coles coles
`

// addCompletion has a tree of commands complete options as they are written here, with one dash,
// and values of those with a fixed choice.
func addCompletion(root *cli.Command) {
	root.EnableShellCompletion = true
	root.ConfigureShellCompletionCommand = func(c *cli.Command) {
		c.Hidden, c.Usage = false, "Print a completion script for bash, zsh, fish or pwsh"
		c.Action = func(_ context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return usagef("no completion for %q: want bash, zsh, fish or pwsh", c.Args().First())
			}
			return cli.ShowSubcommandHelp(c)
		}
		c.Command("bash").Action = func(_ context.Context, c *cli.Command) error {
			_, err := io.WriteString(c.Root().Writer, bashCompletion)
			return err
		}
	}
	for _, sub := range root.Commands {
		sub.ShellComplete = complete
	}
}

// complete prints what may follow the last word of a command line or, if that is the beginning of
// an option, stand in its place.
func complete(_ context.Context, c *cli.Command) {
	words := c.Args().Slice()
	if len(words) == 0 || !strings.HasPrefix(words[len(words)-1], "-") {
		return
	}
	last := words[len(words)-1]
	name := strings.TrimLeft(last, "-")
	dashes := strings.TrimSuffix(last, name)
	for _, f := range c.Flags {
		switch {
		case name != "" && slices.Contains(f.Names(), name):
			for _, word := range choices(c.Name, name) {
				fmt.Fprintln(c.Root().Writer, word)
			}
			return
		case strings.HasPrefix(f.Names()[0], name):
			usage, _, _ := strings.Cut(strings.ReplaceAll(f.(cli.DocGenerationFlag).GetUsage(), "`", ""), ":")
			fmt.Fprintf(c.Root().Writer, "%s%s:%s\n", dashes, f.Names()[0], usage)
		}
	}
}

// choices are the values of an option of a command, if there is a fixed number of them; behind a
// colon comes what they take.
func choices(command, option string) []string {
	if command == "plot" && option == "by" {
		return []string{"tsne", "pca"}
	}
	text := map[string]string{
		"filter": filterForms, "negatives": negativesForms + ", none", "precision": "auto, float32, float64",
		"for": purposeForms, "kind": "auto, graph, features", "preparation": preparationForms,
		"from": formatNames(isRead), "to": formatNames(isWritten), "format": formatNames(isWritten),
		"by": "cosine, dot", "header": "yes, no, detect", "missing": "error, zero, mean, drop",
		"preset": "coles-gcn, stiefel, linear, augmented",
	}[option]
	if text == "" {
		return nil
	}
	return strings.Split(strings.ReplaceAll(text, ",\n", ", "), ", ")
}
