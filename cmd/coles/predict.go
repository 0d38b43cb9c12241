package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"coles"
	"coles/learn"
	"coles/task"

	"github.com/urfave/cli/v3"
)

// predictOptions are the options of the command.
type predictOptions struct {
	vectorOptions
	labelOptions
	result                            resultOptions
	all, probabilities, why, balanced bool
	alone, verbose                    bool
	sure                              float64
	classifier, model, use            string
}

func predictCommand(s streams) *cli.Command {
	o := &predictOptions{}
	return command(s, spec{
		input: &o.inputOptions, name: "predict", usage: "the classes of the nodes that have no label", args: "[GRAPH]", settings: true,
		first: []string{"features", "labels", "labels-as", "embedding", "kind", "all", "probabilities", "why", "classifier", "o"},
		flags: slices.Concat([]cli.Flag{
			ofAnswer.yes(&o.all, "all", "predict the nodes that have a label, too"),
			ofAnswer.yes(&o.probabilities, "probabilities", "give the probabilities of all classes"),
			o.labelOptions.flag(), o.namesFlag(),
			ofAnswer.yes(&o.why, "why", "say which labelled nodes and which columns speak most for the class, or, by a minus, against it"),
			ofAnswer.yes(&o.balanced, "balanced", "predict rare classes as if all were as frequent"),
			ofAnswer.number(&o.sure, "sure", "answer \"none\" below this `PROBABILITY`"),
			ofAnswer.yes(&o.alone, "alone", "predict by the vectors alone, and not by the labels around a node"),
			ofOutput.yes(&o.verbose, "verbose", "say on standard error how the model and the classes were found"),
			ofOutput.file(&o.classifier, "classifier", "keep the classifier in `FILE`"),
			ofOutput.file(&o.model, "model", "keep the model and the classifier in `FILE`"),
			ofModel.file(&o.use, "use", "do not learn, predict with the classifier in `FILE`"),
		}, o.result.flags(), o.vectorOptions.flags()),
		run: o.run,
	})
}

func (o *predictOptions) run(ctx context.Context, s *session) error {
	out, err := o.outputs(s)
	if err != nil {
		return err
	}
	if !(o.sure >= 0 && o.sure <= 1) {
		return usagef("-sure %v: want 0 to 1", o.sure)
	}
	how := learn.Options{Balanced: o.balanced, Alone: o.alone, Seed: o.fit.seed}
	var p *task.Predictor
	if o.use != "" {
		if p, err = o.known(ctx, s); err != nil {
			return err
		}
	}
	v, err := o.vectorOptions.read(ctx, s, task.General, func(fit *task.Fitting, d *task.Data) error {
		if s.set("kind", "use") { // which has learnt from a model
			return nil
		}
		return o.choose(s, fit, d, how)
	})
	if err != nil {
		return err
	}
	n, _ := v.Rows.Dims()
	t, err := o.target(v.Data, n, s.labelsAt())
	if err != nil {
		return err
	}
	known := task.Known(v.Dataset, n)
	var rows []int
	for i, l := range known {
		if l < 0 || o.all {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return errEveryLabel
	}
	if p, err = o.predictor(ctx, s, p, v, t, how); err != nil {
		return err
	}
	s.progress.show("classify", 0, 0)
	a := &answers{o: o, v: v, t: t, p: p, rows: rows, ids: v.Called(task.Names(v.IDs, n))}
	if err := a.find(ctx); err != nil {
		return err
	}
	s.progress.clear()
	if err := out.model.write(ctx, func(w io.Writer) error {
		f := task.Keep(v.Model, s.files.Options, v.Data)
		f.Predictor = p
		_, err := f.WriteTo(w)
		return err
	}); err != nil {
		return err
	}
	if err := out.classifier.write(ctx, func(w io.Writer) error { _, err := (&task.File{Predictor: p}).WriteTo(w); return err }); err != nil {
		return err
	}
	if err := o.result.write(ctx, out.lines, a.result, a.columns, slices.Values(a.lines)); err != nil {
		return err
	}
	a.tell(s)
	if v.Choice != nil && o.verbose {
		s.say("%s", strings.ReplaceAll(v.Choice.String(), "\n", "\ncoles: "))
	}
	if o.classifier != "" && o.model == "" && o.with == "" && o.embedding == "" {
		s.warn(fmt.Errorf("%s is for vectors of this very model, which -model keeps", o.classifier))
	}
	return nil
}

// known is the classifier of -use. The model beside it makes the vectors, unless options say others.
func (o *predictOptions) known(ctx context.Context, s *session) (*task.Predictor, error) {
	f, err := readPath(ctx, s, o.use, task.ReadFile)
	if err != nil {
		return nil, err
	}
	if f.Predictor == nil {
		return nil, fmt.Errorf("%s: %w: a model, and no classifier", nameOf(o.use), coles.ErrFormat)
	}
	if f.Model != nil && o.use != standard && o.with == "" && o.embedding == "" && !s.set(fittingNames...) {
		o.with = o.use
	}
	return f.Predictor, nil
}

var errEveryLabel = errors.New("every node has a label; -all predicts those, too")

// learn learns from the labels of the nodes.
func (v *vectors) learn(ctx context.Context, s *session, t task.Target, how learn.Options) (*task.Predictor, error) {
	how.Progress = s.progress.show
	p, err := task.FitPredictor(ctx, v.Graph, v.Rows, v.Model, t, how)
	if errors.Is(err, task.ErrNoLabels) {
		err = fmt.Errorf("%w; name a file by -labels", err)
	}
	return p, err
}

// predictor learns from labels, unless there is a predictor: then it is checked against the vectors and the labels.
func (o *predictOptions) predictor(ctx context.Context, s *session, p *task.Predictor, v *vectors, t task.Target, how learn.Options) (*task.Predictor, error) {
	var err error
	var notes []task.Note
	if p == nil {
		if err := o.refuse(s, t.Kind(), true); err != nil {
			return nil, err
		}
		if p, err = v.learn(ctx, s, t, how); err != nil {
			if errors.Is(err, learn.ErrSplit) && o.labels != "" {
				err = fmt.Errorf("%s: %w", nameOf(o.labels), err)
			}
			return nil, overflowing(err, o.embedding, v.IDs, v.Rows)
		}
	} else if p, notes, err = p.For(v.Model, t); errors.Is(err, task.ErrOtherLabels) {
		return nil, fmt.Errorf("%s %w: see -labels-as", o.use, err)
	} else if err != nil {
		return nil, fmt.Errorf("%s %w: name its model by -with; -model keeps the model of a fit", o.use, err)
	} else {
		s.note(o.use, notes...)
	}
	if s.set("sure") && slices.Contains(p.Names, none) {
		return nil, usagef("-sure answers %q, and a class has that name", none)
	}
	return p, o.refuse(s, p.Kind(), false)
}

// refuse refuses options that do not go with labels of a kind, or with learning from them.
func (o *predictOptions) refuse(s *session, kind task.Kind, learning bool) error {
	are, names := "numbers", []string{"balanced", "probabilities", "sure", "why"}
	switch {
	case kind == task.OneClass:
		return nil
	case kind == task.SeveralClasses:
		are, names = "several a node", []string{"balanced", "why"}
	}
	if !learning {
		names = names[1:]
	}
	for _, name := range names {
		if s.set(name) {
			return usagef("-%s is for nodes of one class, and the labels are %s: -labels-as classes takes them for names", name, are)
		}
	}
	return nil
}

// predictFiles are where predictions, the classifier and the model go.
type predictFiles struct{ lines, classifier, model sink }

// outputs checks the options, and finds the files.
func (o *predictOptions) outputs(s *session) (out predictFiles, err error) {
	switch {
	case o.use != "" && o.classifier != "":
		return out, usagef("-classifier keeps a classifier that is learnt, and -use has one already")
	case o.use != "" && s.set("alone", "balanced"):
		return out, usagef("-alone and -balanced are learnt with a classifier, and -use has one already")
	case o.model != "" && (o.with != "" || o.embedding != ""):
		return out, usagef("-model keeps a model that is fitted, and -with or -embedding fits none")
	case o.classifier == standard || o.model == standard:
		return out, usagef("-classifier - or -model - and the predictions would both go to standard output")
	case sameFile(o.classifier, o.result.path), sameFile(o.model, o.result.path), sameFile(o.model, o.classifier):
		return out, usagef("two of -classifier, -model and -o are the same file")
	}
	if out.lines, err = o.output(s, &o.result); err != nil {
		return out, err
	}
	if out.classifier, err = s.output(s.args, "-classifier", o.classifier, true); err != nil {
		return out, err
	}
	out.model, err = s.output(s.args, "-model", o.model, true)
	return out, err
}
