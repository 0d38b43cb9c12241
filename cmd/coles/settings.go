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

	"github.com/urfave/cli/v3"
)

// settingsFlags are the options that change what a fit does.
func settingsFlags() []cli.Flag {
	return []cli.Flag{
		fileFlag("settings", "settings from a JSON `FILE`; the options below change them"),
		&cli.IntFlag{Name: "dim", Usage: "`COLUMNS` of the embedding (default: 128, or the number of features if smaller; without features at most a sixteenth of the nodes)", HideDefault: true},
		&cli.Uint64Flag{Name: "seed", Usage: "`SEED` of all random draws (default: 1)", HideDefault: true},
		&cli.StringFlag{Name: "filter", Usage: "`NAME:NUMBERS` of the filter, see above (default: s2gcsum:8)", HideDefault: true},
		&cli.StringFlag{Name: "negatives", Usage: "`NAME:NUMBERS` of the sampler, see above (default: expected-degree)", HideDefault: true},
		&cli.IntFlag{Name: "kappa", Usage: "`NUMBER` of negative graphs, 0 for none (default: 1)", HideDefault: true},
		&cli.FloatFlag{Name: "eta", Usage: "`WEIGHT` of the negatives, 0 to 1 (default: 1)", HideDefault: true},
		&cli.StringFlag{Name: "precision", Usage: "`TYPE` to hold and multiply features in: auto, float32 or float64 (default: auto)", HideDefault: true},
	}
}

// The text forms of -filter and -negatives, for help and completion.
const (
	filterForms    = "s2gcsum:HOPS, s2gc:HOPS,ALPHA, sgc:HOPS, appnp:HOPS,ALPHA,\nheat:HOPS,T, polynomial:A0,A1,…"
	negativesForms = "expected-degree,\nexpected-uniform, uniform:PER-NODE, degree:PER-NODE, erdos-renyi:PROBABILITY"
)

// describe puts what -filter and -negatives take before a command's examples.
func describe(text string) string {
	about, examples, _ := strings.Cut(text, "\nExamples:")
	return about + "\n-filter is one of " + filterForms + "; -negatives is one of " + negativesForms + `
(the last three also with ",exclude-edges": no negatives that the graph joins),
none.

Examples:` + examples
}

// readSettings are the default settings, or those of a file, with what the options change.
func readSettings(ctx context.Context, c *cli.Command, in *inputs) (coles.Settings, error) {
	s := coles.DefaultSettings()
	if path := c.String("settings"); path != "" {
		if err := readSettingsFile(ctx, in, path, &s); err != nil {
			return s, err
		}
		if err := s.Check(); err != nil {
			return s, fmt.Errorf("%s: %s", path, oneLine(err))
		}
	}
	if c.IsSet("dim") {
		if s.Dim = c.Int("dim"); s.Dim < 1 || s.Dim > math.MaxInt32 {
			return s, usagef("-dim %d: want 1 to %d", s.Dim, math.MaxInt32)
		}
	}
	if c.IsSet("seed") {
		s.Seed = c.Uint64("seed")
	}
	if c.IsSet("kappa") {
		s.Kappa = c.Int("kappa")
	}
	if c.IsSet("eta") {
		s.Eta = c.Float("eta")
	}
	for name, value := range map[string]encoding.TextUnmarshaler{"filter": &s.Filter, "negatives": &s.Negatives, "precision": &s.Precision} {
		if !c.IsSet(name) {
			continue
		}
		if err := value.UnmarshalText([]byte(c.String(name))); err != nil {
			return s, usagef("-%s: %s", name, oneLine(err))
		}
	}
	if err := s.Check(); err != nil {
		return s, usageError{oneLine(err)}
	}
	return s, nil
}

// readSettingsFile changes settings of either kind by what a JSON file says of them.
func readSettingsFile(ctx context.Context, in *inputs, path string, s any) error {
	f, err := in.source(path)
	if err != nil {
		return err
	}
	defer f.close()
	r, err := f.open(ctx)
	if err != nil {
		return err
	}
	const most = 1 << 20
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return f.errAt(err)
	}
	if len(text) > most {
		return fmt.Errorf("%s: more than %d bytes of settings", f.name(), most)
	}
	decode := json.NewDecoder(bytes.NewReader(text))
	decode.DisallowUnknownFields()
	err = decode.Decode(s)
	if _, more := decode.Token(); err == nil && more != io.EOF {
		err = errors.New("text after the settings")
	}
	if err == nil {
		return nil
	}
	line := 1 + bytes.Count(text[:errorOffset(err, decode, len(text))], []byte("\n"))
	return fmt.Errorf("%s:%d: %w", f.name(), line, err)
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
