package main

import (
	"bytes"
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"coles"
	"coles/task"

	"github.com/urfave/cli/v3"
)

// fitOptions change what a fit does.
type fitOptions struct {
	purpose, settings, kind, preparation, structure string
	filter, negatives, precision                    string
	eta, weightSpan                                 float64
	dim, kappa                                      int
	seed                                            uint64
	file                                            *settingsFile // of -settings, read
}

func (o *fitOptions) flags() []cli.Flag {
	return []cli.Flag{
		ofModel.text(&o.purpose, "for", "`PURPOSE` of the vectors, by which all settings are chosen first: "+purposeForms+" (default: classification, clustering where nodes are clustered, links where they are recommended)"),
		ofModel.file(&o.settings, "settings", "settings from a JSON `FILE`; the options below change them"),
		ofModel.text(&o.kind, "kind", "`KIND` of model: graph, features, or auto, which chooses without labels (default: auto)"),
		ofModel.text(&o.preparation, "preparation", "`NAME` of what is done to features first, see above (default: auto)"),
		ofModel.text(&o.structure, "structure", "`SHARE` of the vectors' energy in columns of who the neighbours are, beside features; auto chooses it (default: auto)"),
		ofModel.whole(&o.dim, "dim", "`COLUMNS` of the embedding, at most (default: 128, or the number of features if smaller; without features at most a third of the nodes)"),
		ofModel.seed(&o.seed),
		ofModel.text(&o.filter, "filter", "`NAME:NUMBERS` of the filter, see above (default: auto, s2gcsum:8, or s2gcsum:24 without features)"),
		ofModel.text(&o.negatives, "negatives", "`NAME:NUMBERS` of the sampler, see above (default: expected-degree)"),
		ofModel.whole(&o.kappa, "kappa", "`NUMBER` of negative graphs, 0 for none (default: 1)"),
		ofModel.number(&o.eta, "eta", "`WEIGHT` of the negatives, 0 to 1 (default: 1)"),
		ofModel.number(&o.weightSpan, "weight-span", "`TIMES` the median of the weights from which the largest has all of them taken as log(1 + w/median); 0 for never (default: 100)"),
		ofModel.text(&o.precision, "precision", "`TYPE` to hold and multiply features in: auto, float32 or float64 (default: auto)"),
	}
}

// What options take, for help and completion.
const (
	preparationForms = "auto, undamped, none, tfidf, balanced, row-l2, row-l1,\nstandardize, vectors"
	filterForms      = "auto, s2gcsum:HOPS, s2gc:HOPS,ALPHA, sgc:HOPS, appnp:HOPS,ALPHA,\nheat:HOPS,T, polynomial:A0,A1,…"
	negativesForms   = "expected-degree,\nexpected-uniform, uniform:PER-NODE, degree:PER-NODE, erdos-renyi:PROBABILITY"
)

// settingForms say what -filter, -negatives and -preparation take.
const settingForms = "-filter is one of " + filterForms + "; -negatives is one of " + negativesForms + `
(the last three also with ",exclude-edges": no negatives that the graph joins),
none. -preparation is one of
` + preparationForms + `.
`

// purposeForms are the purposes of vectors.
var purposeForms = strings.Join(task.Purposes, ", ")

// fittingNames are the options of a fit.
var fittingNames = namesOf(new(fitOptions).flags())

// read reads the file of -settings, and checks all options before the graph is known.
func (o *fitOptions) read(ctx context.Context, s *session) (err error) {
	if o.file, err = readSettingsFile(ctx, s, o.settings); err != nil {
		return err
	}
	_, err = o.resolved(s, task.General, math.MaxInt, math.MaxInt)
	return err
}

// fitting is a fit for a purpose, unless -for names another.
func (o *fitOptions) fitting(s *session, usual task.Purpose) (task.Fitting, error) {
	err := setText(s, "for", o.purpose, &usual)
	return task.Fitting{For: usual, Change: func(to *coles.Settings) error { return o.change(s, to) }}, err
}

// resolved are the settings of a fit to so many nodes with so many features.
func (o *fitOptions) resolved(s *session, usual task.Purpose, nodes, features int) (coles.Settings, error) {
	f, err := o.fitting(s, usual)
	if err != nil {
		return coles.Settings{}, err
	}
	to := f.For.Settings(nodes, features)
	return to, f.Change(&to)
}

// setText sets a value to the text of an option that is given.
func setText(s *session, name, text string, value encoding.TextUnmarshaler) error {
	if !s.set(name) {
		return nil
	}
	return badOption(name, value.UnmarshalText([]byte(text)))
}

// change changes settings by the file and by each option.
func (o *fitOptions) change(s *session, to *coles.Settings) error {
	if o.file != nil {
		if err := o.file.change(to); err != nil {
			return err
		}
		if err := to.Check(); err != nil {
			return fmt.Errorf("%s: %s", o.file.name, oneLine(err))
		}
	}
	if s.set("dim") {
		if to.Dim = o.dim; o.dim < 1 || o.dim > math.MaxInt32 {
			return usagef("-dim %d: want 1 to %d", o.dim, math.MaxInt32)
		}
	}
	setTo(s, "seed", &to.Seed, o.seed)
	setTo(s, "kappa", &to.Kappa, o.kappa)
	setTo(s, "eta", &to.Eta, o.eta)
	setTo(s, "weight-span", &to.WeightSpan, o.weightSpan)
	for _, of := range []struct {
		name, text string
		value      encoding.TextUnmarshaler
	}{
		{"kind", o.kind, &to.Kind}, {"preparation", o.preparation, &to.Preparation}, {"filter", o.filter, &to.Filter},
		{"negatives", o.negatives, &to.Negatives}, {"precision", o.precision, &to.Precision}, {"structure", o.structure, &to.Structure},
	} {
		if err := setText(s, of.name, of.text, of.value); err != nil {
			return err
		}
	}
	if err := to.Check(); err != nil {
		return usageError{oneLine(err)}
	}
	return nil
}

// A settingsFile is the text of a file of settings of either kind.
type settingsFile struct {
	name string
	text []byte
}

// readSettingsFile reads a file of settings, nil if there is none.
func readSettingsFile(ctx context.Context, s *session, path string) (*settingsFile, error) {
	if path == "" {
		return nil, nil
	}
	return readPath(ctx, s, path, func(r io.Reader) (*settingsFile, error) {
		const most = 1 << 20
		text, err := io.ReadAll(io.LimitReader(r, most+1))
		if err == nil && len(text) > most {
			err = fmt.Errorf("more than %d bytes of settings", most)
		}
		if bytes.Contains(text, []byte(`"degree_share"`)) {
			s.warn(fmt.Errorf("%s: degree_share says nothing any more", nameOf(path)))
		}
		return &settingsFile{nameOf(path), text}, err
	})
}

// change changes settings by the file.
func (f *settingsFile) change(s any) error {
	decode := json.NewDecoder(bytes.NewReader(f.text))
	decode.DisallowUnknownFields()
	err := decode.Decode(s)
	if _, more := decode.Token(); err == nil && more != io.EOF {
		err = errors.New("text after the settings")
	}
	if err == nil {
		return nil
	}
	line := 1 + bytes.Count(f.text[:errorOffset(err, decode, len(f.text))], []byte("\n"))
	return fmt.Errorf("%s:%d: %w", f.name, line, err)
}

// errorOffset is where in a text the decoder was when it failed.
func errorOffset(err error, decode *json.Decoder, length int) int {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := decode.InputOffset()
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return length
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
	}
	return min(max(int(at), 0), length)
}
