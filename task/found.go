package task

import (
	"fmt"
	"strconv"
	"strings"

	"coles"
	"coles/dataset/parse"
	"coles/eval"
	"coles/learn"
)

// fewEach labels a class are so few that a fifth less makes predictions worse; mostRare is how many rare classes are named.
const fewEach, mostRare = 10, 10

// Found says how good predictions by the labels t of the nodes of g are in cross-validation, and how much each opinion counts;
// all says more. The vectors are called so where no model is known.
func (p *Predictor) Found(g *coles.Graph, t Target, vectors string, all bool) (notes []Note) {
	whose, more := p.Model(), ""
	if p.Origin.Kind == "" && !p.byFeatures() {
		whose = vectors
	}
	say := func(format string, args ...any) { notes = append(notes, Note{Text: fmt.Sprintf(format, args...)}) }
	names := parse.Advice{Field: "LabelsAs", Value: "classes", Says: "takes them for names"}
	switch good, sets := p.Confusion, p.Scores; {
	case good != nil:
		n, largest := good.Total(), 0
		for k := range good.Classes {
			largest = max(largest, good.Size(k))
		}
		say("%.0f of 100 predictions are right, by %d labelled nodes, each predicted without its label; the largest class has %.0f of 100",
			100*good.Accuracy(), n, 100*float64(largest)/float64(n))
		if n < fewEach*len(good.Classes) && good.Accuracy() < 1 {
			say("with so few labels the figure is low: each was predicted by a part of them, the other nodes by all")
		}
		notes[len(notes)-1].Text += "\n" + strings.TrimSuffix(good.String(), "\n")
		if rare := rareClasses(good); rare != "" {
			say("%s", rare)
		}
		more = fmt.Sprintf("; %.0f of 100 are right by the %s alone", 100*p.Alone, p.Reads())
	case sets != nil:
		say("%.0f of 100 classes are right where it is known how many each node has, and micro-F1 is %.1f %% where not, by %d labelled nodes, each predicted without its labels",
			100*sets.MicroKnown, 100*sets.Micro, sets.Rows)
		notes = append(notes, Note{"nodes have several labels", []parse.Advice{names}})
		more = fmt.Sprintf("; macro-F1 %.1f %%, and %.1f %% where not", 100*sets.MacroKnown, 100*sets.Macro)
	case p.Ridge != nil && p.Ridge.Found.Rows > 0:
		told, how := "", ""
		if g != nil {
			told = fmt.Sprintf(", and the neighbours' mean by %.3g", eval.NeighboursError(g, t.Values))
		}
		if p.Ridge.Log {
			how = ", by their logarithms"
		}
		r := p.Ridge.Found
		say("predictions are off by %.3g in the mean, by %d labels, each predicted without itself; the mean of all is off by %.3g%s", r.Error, r.Rows, r.OfMean, told)
		notes = append(notes, Note{fmt.Sprintf("R² %.2f; nine in ten are between low and high; the labels are numbers%s", r.R2, how), []parse.Advice{names}})
	case p.vectors == nil:
		say("%s: a classifier that is kept learns nothing, and cross-validates nothing", whose)
		if g != nil && !t.Any() && p.Weights.Surroundings != 0 {
			say("labelled surroundings count %.1f, and without labels they say nothing", p.Weights.Surroundings)
		}
		return notes
	default:
		say("%s: cross-validation takes two labels of two classes at least, and counts 4,096 classes at most", whose)
		return notes
	}
	if !all {
		more = ""
	}
	if p.byFeatures() {
		whose = "the columns of the features predict better than vectors"
	}
	say("%s: %s%s", whose, p.Weights.Text(p.Reads()), more)
	return notes
}

// rareClasses names the classes of one or two nodes, "" for none.
func rareClasses(good *learn.Confusion) string {
	var rare []string
	for k := range good.Counts {
		if size := good.Size(k); size == 1 || size == 2 {
			rare = append(rare, strconv.Quote(good.Name(k)))
		}
	}
	if len(rare) == 0 {
		return ""
	}
	more := ""
	if n := len(rare) - mostRare; n > 0 {
		rare, more = rare[:mostRare], fmt.Sprintf(" and %d more", n)
	}
	return "classes of one or two labelled nodes, which are hardly ever predicted: " + strings.Join(rare, ", ") + more
}
