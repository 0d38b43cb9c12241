package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"coles"
	"coles/task"

	"github.com/urfave/cli/v3"
)

// labelOptions say what labels are.
type labelOptions struct{ as string }

func (o *labelOptions) flag() cli.Flag {
	return ofAnswer.text(&o.as, "labels-as", "labels are `WHAT`: classes, numbers or several, classes as a list (default: by their text)")
}

// target is what the labels of n nodes are. The error of a label that is no number names its line in the file at a path.
func (o *labelOptions) target(d *task.Data, n int, path string) (task.Target, error) {
	if !slices.Contains(append(task.Meanings, ""), o.as) {
		return task.Target{}, usagef("-labels-as %s: want classes, numbers or several", o.as)
	}
	t, err := task.TargetOf(d.Dataset, n, o.as)
	var odd *task.NumberError
	if errors.As(err, &odd) {
		err = fmt.Errorf("%s: %w: the label %q of node %s is no number, and others are: -labels-as classes takes all for names, -missing-marks %s has such nodes without a label",
			nameOf(path)+lineWith(path, odd.Node, odd.Label), coles.ErrFormat, odd.Label, odd.Node, odd.Label)
	}
	return t, err
}

// labelsAt is the file that labels were read from.
func (r *reader) labelsAt() string { return cmp.Or(r.labels, r.first()) }

// lineWith is ":" and the number of the first line of a file of text that has both words, "" where there is none.
func lineWith(path, one, other string) string {
	if about, err := os.Stat(path); err != nil || !about.Mode().IsRegular() { // a pipe is read but once
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		words := strings.FieldsFunc(lines.Text(), func(r rune) bool { return strings.ContainsRune(" \t,;\"\r", r) })
		if slices.Contains(words, one) && slices.Contains(words, other) {
			return fmt.Sprintf(":%d", n)
		}
	}
	return ""
}
