package main

import (
	"bufio"
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
	"coles/internal/setting"

	"github.com/urfave/cli/v3"
)

// settingsFlags are the options that change what a fit does.
func settingsFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "for", Usage: "`PURPOSE` of the vectors, by which all settings are chosen first: " + purposeForms + " (default: classification, clustering where nodes are clustered, links where they are recommended)"},
		fileFlag("settings", "settings from a JSON `FILE`; the options below change them"),
		&cli.StringFlag{Name: "kind", Usage: "`KIND` of model: graph, features, or auto, which chooses without labels (default: auto)"},
		&cli.StringFlag{Name: "preparation", Usage: "`NAME` of what is done to features first, see above (default: auto)"},
		&cli.FloatFlag{Name: "degree-share", Usage: "`SHARE` of the vectors' energy that a last column, of degrees, gets at most; 0 for none (default: 0.1)", HideDefault: true},
		&cli.StringFlag{Name: "structure", Usage: "`SHARE` of the vectors' energy in columns of who the neighbours are, beside features; auto chooses it (default: auto)"},
		&cli.IntFlag{Name: "dim", Usage: "`COLUMNS` of the embedding, at most (default: 128, or the number of features if smaller; without features at most a third of the nodes)", HideDefault: true},
		&cli.Uint64Flag{Name: "seed", Usage: "`SEED` of all random draws (default: 1)", HideDefault: true},
		&cli.StringFlag{Name: "filter", Usage: "`NAME:NUMBERS` of the filter, see above (default: auto, s2gcsum:8, or s2gcsum:24 without features)"},
		&cli.StringFlag{Name: "negatives", Usage: "`NAME:NUMBERS` of the sampler, see above (default: expected-degree)"},
		&cli.IntFlag{Name: "kappa", Usage: "`NUMBER` of negative graphs, 0 for none (default: 1)", HideDefault: true},
		&cli.FloatFlag{Name: "eta", Usage: "`WEIGHT` of the negatives, 0 to 1 (default: 1)", HideDefault: true},
		&cli.FloatFlag{Name: "weight-span", Usage: "`TIMES` the median of the weights from which the largest has all of them taken as log(1 + w/median); 0 for never (default: 100)", HideDefault: true},
		&cli.StringFlag{Name: "precision", Usage: "`TYPE` to hold and multiply features in: auto, float32 or float64 (default: auto)"},
	}
}

// What options take, for help and completion.
const (
	purposeForms     = "classification, clustering, links"
	preparationForms = "auto, undamped, none, tfidf, balanced, row-l2, row-l1,\nstandardize, vectors"
	filterForms      = "auto, s2gcsum:HOPS, s2gc:HOPS,ALPHA, sgc:HOPS, appnp:HOPS,ALPHA,\nheat:HOPS,T, polynomial:A0,A1,…"
	negativesForms   = "expected-degree,\nexpected-uniform, uniform:PER-NODE, degree:PER-NODE, erdos-renyi:PROBABILITY"
)

// describe puts what -filter, -negatives and -preparation take before a command's examples.
func describe(text string) string {
	about, examples, _ := strings.Cut(text, "\nExamples:")
	return about + "\n-filter is one of " + filterForms + "; -negatives is one of " + negativesForms + `
(the last three also with ",exclude-edges": no negatives that the graph joins),
none. -preparation is one of
` + preparationForms + `.

Examples:` + examples
}

// A purpose is what vectors are for: what helps a classifier, which weighs columns itself, can harm a cosine or
// a distance, which do not.
type purpose int

const (
	forClassification purpose = iota
	forClustering
	forLinks
)

// UnmarshalText reads a name.
func (p *purpose) UnmarshalText(text []byte) error {
	return setting.Unmarshal(p, text, strings.Split(purposeForms, ", "))
}

// settings are those of a fit for the purpose.
func (p purpose) settings(nodes, features int) coles.Settings {
	switch p {
	case forClustering:
		return coles.ClusteringSettings(nodes, features)
	case forLinks:
		return coles.LinkSettings(nodes, features)
	}
	return coles.DefaultSettings()
}

// A fitSettings gives the settings of a fit to a number of nodes with a number of features, 0 for none, for
// the usual purpose of the vectors, unless options override them.
type fitSettings func(usual purpose, nodes, features int) (coles.Settings, error)

// readSettings reads the options that change what a fit does. They are checked at once, and applied
// when the graph is known.
func readSettings(ctx context.Context, c *cli.Command, in *inputs) (fitSettings, error) {
	file, err := readSettingsFile(ctx, c, in)
	if err != nil {
		return nil, err
	}
	settings := func(usual purpose, nodes, features int) (s coles.Settings, err error) {
		if err := setText(c, "for", &usual); err != nil {
			return s, err
		}
		s = usual.settings(nodes, features)
		if file != nil {
			if err := file.change(&s); err != nil {
				return s, err
			}
			if err := s.Check(); err != nil {
				return s, fmt.Errorf("%s: %s", file.name, oneLine(err))
			}
		}
		return s, changeSettings(c, &s)
	}
	_, err = settings(forClassification, math.MaxInt, math.MaxInt)
	return settings, err
}

// setText sets a value to the text of an option that is given.
func setText(c *cli.Command, name string, value encoding.TextUnmarshaler) error {
	if !c.IsSet(name) {
		return nil
	}
	return badOption(name, value.UnmarshalText([]byte(c.String(name))))
}

// setNumber sets a value to what an option says that is given.
func setNumber[T any](c *cli.Command, name string, value *T, of func(name string) T) {
	if c.IsSet(name) {
		*value = of(name)
	}
}

// changeSettings changes settings by each option.
func changeSettings(c *cli.Command, s *coles.Settings) error {
	if c.IsSet("dim") {
		if s.Dim = c.Int("dim"); s.Dim < 1 || s.Dim > math.MaxInt32 {
			return usagef("-dim %d: want 1 to %d", s.Dim, math.MaxInt32)
		}
	}
	setNumber(c, "seed", &s.Seed, c.Uint64)
	setNumber(c, "kappa", &s.Kappa, c.Int)
	setNumber(c, "eta", &s.Eta, c.Float)
	setNumber(c, "degree-share", &s.DegreeShare, c.Float)
	setNumber(c, "weight-span", &s.WeightSpan, c.Float)
	for name, value := range map[string]encoding.TextUnmarshaler{
		"kind": &s.Kind, "preparation": &s.Preparation, "filter": &s.Filter, "negatives": &s.Negatives, "precision": &s.Precision, "structure": &s.Structure,
	} {
		if err := setText(c, name, value); err != nil {
			return err
		}
	}
	if err := s.Check(); err != nil {
		return usageError{oneLine(err)}
	}
	return nil
}

// A settingsFile is the text of a file of settings of either kind.
type settingsFile struct {
	name string
	text []byte
}

// readSettingsFile reads the file of -settings, nil if there is none.
func readSettingsFile(ctx context.Context, c *cli.Command, in *inputs) (*settingsFile, error) {
	path := c.String("settings")
	if path == "" {
		return nil, nil
	}
	return readPath(ctx, in, path, func(r *bufio.Reader) (*settingsFile, error) {
		const most = 1 << 20
		text, err := io.ReadAll(io.LimitReader(r, most+1))
		if err == nil && len(text) > most {
			err = fmt.Errorf("more than %d bytes of settings", most)
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

func seedOr1(c *cli.Command) uint64 {
	seed := uint64(1)
	setNumber(c, "seed", &seed, c.Uint64)
	return seed
}
