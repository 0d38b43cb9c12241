package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/learn"
	"coles/task"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

// labelOptions say what labels are.
type labelOptions struct{ as string }

func (o *labelOptions) flag() cli.Flag {
	return ofAnswer.text(&o.as, "labels-as", "labels are `WHAT`: classes, numbers or several, classes as a list (default: by their text)")
}

// target is what the labels of n nodes are. The error of a label that is no number names its line in the file at a path.
func (o *labelOptions) target(d *task.Data, n int, path string) (task.Target, error) {
	t, err := task.TargetOf(d.Dataset, n, o.as)
	var odd *task.NumberError
	if errors.As(err, &odd) {
		err = fmt.Errorf("%s: %w: -labels-as classes takes all for names, -missing-marks %s has such nodes without a label",
			nameOf(path)+placeOf(path, odd.Node, func(word string) bool { return word == odd.Label }), odd, odd.Label)
	}
	return t, badOption("labels-as", err)
}

// choose has the labels choose the model of a fit.
func (o *labelOptions) choose(s *session, fit *task.Fitting, d *task.Data, how learn.Options) error {
	t, err := o.target(d, d.Graph.Nodes(), s.labelsAt())
	fit.Labels, fit.How = &t, how
	return err
}

// overflowing has the error of what overflows name the largest of the numbers of nodes, and its place in the file at a path.
func overflowing(err error, path string, ids []string, x mat.Matrix) error {
	if !errors.Is(err, coles.ErrNotFinite) || path == "" {
		return err
	}
	n, d := x.Dims()
	row, most := 0, 0.0
	for i := range n {
		for j := range d {
			if v := x.At(i, j); math.Abs(v) > math.Abs(most) {
				row, most = i, v
			}
		}
	}
	node := task.Names(ids, n)[row]
	at := placeOf(path, node, func(word string) bool { v, err := strconv.ParseFloat(word, 64); return err == nil && v == most })
	return fmt.Errorf("%s: %w: node %s has %v", nameOf(path)+at, err, node, most)
}

// labelsAt is the file that labels were read from.
func (s *session) labelsAt() string { return cmp.Or(s.labels, s.first()) }

// placeOf is ":", line, ":" and column of another word in the first line of a file of text that has both, "" for none.
func placeOf(path, one string, other func(word string) bool) string {
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
		if at := slices.IndexFunc(words, other); at >= 0 && slices.Contains(words, one) {
			return fmt.Sprintf(":%d:%d", n, 1+strings.LastIndex(lines.Text(), words[at]))
		}
	}
	return ""
}
