package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"coles"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

// settingsFlags are the options that change what a fit does.
func settingsFlags() []cli.Flag {
	return []cli.Flag{
		fileFlag("settings", "settings from a JSON `FILE`; the options below change them"),
		&cli.IntFlag{Name: "dim", Usage: "`COLUMNS` of the embedding (default: 128, or the number of features if smaller; without features at most a sixteenth of the nodes)", HideDefault: true},
		&cli.Uint64Flag{Name: "seed", Usage: "`SEED` of all random draws (default: 1)", HideDefault: true},
		&cli.StringFlag{Name: "filter", Usage: "`NAME:NUMBERS` of the filter, see above (default: s2gcsum:8)", HideDefault: true},
		&cli.StringFlag{Name: "negatives", Usage: "`NAME:NUMBERS` of the sampler, see above (default: expected-degree)", HideDefault: true},
		&cli.BoolFlag{Name: "exclude-edges", Usage: "draw no negatives that the graph joins"},
		&cli.IntFlag{Name: "kappa", Usage: "`NUMBER` of negative graphs, 0 for none (default: 1)", HideDefault: true},
		&cli.FloatFlag{Name: "eta", Usage: "`WEIGHT` of the negatives, 0 to 1 (default: 1)", HideDefault: true},
		&cli.StringFlag{Name: "precision", Usage: "`TYPE` to hold and multiply features in: auto, float32 or float64 (default: auto)", HideDefault: true},
	}
}

// describe puts what -filter and -negatives take before a command's examples.
func describe(text string) string {
	about, examples, _ := strings.Cut(text, "\nExamples:")
	return about + "\n-filter is one of " + constructorNames(filters) + ";\n-negatives is one of " +
		constructorNames(samplers) + ".\n\nExamples:" + examples
}

// A constructor makes a filter or a sampler of the numbers behind its name.
type constructor[T any] struct {
	name, numbers string
	least, most   int // numbers that it takes
	make          func(x []float64) T
}

var filters = []constructor[coles.Filter]{
	{"s2gcsum", ":HOPS", 1, 1, func(x []float64) coles.Filter { return coles.S2GCSum(int(x[0])) }},
	{"s2gc", ":HOPS,ALPHA", 2, 2, func(x []float64) coles.Filter { return coles.S2GC(int(x[0]), x[1]) }},
	{"sgc", ":HOPS", 1, 1, func(x []float64) coles.Filter { return coles.SGC(int(x[0])) }},
	{"appnp", ":HOPS,ALPHA", 2, 2, func(x []float64) coles.Filter { return coles.APPNP(int(x[0]), x[1]) }},
	{"heat", ":HOPS,T", 2, 2, func(x []float64) coles.Filter { return coles.Heat(int(x[0]), x[1]) }},
	{"identity", "", 0, 0, func([]float64) coles.Filter { return coles.Identity() }},
	{"polynomial", ":A0,A1,…", 1, math.MaxInt, func(x []float64) coles.Filter { return coles.Polynomial(x...) }},
}

var samplers = []constructor[func(...coles.NegativeOption) coles.NegativeSampler]{
	{"expected-degree", "", 0, 0, fixed(coles.ExpectedDegreeNegatives())},
	{"expected-uniform", "", 0, 0, fixed(coles.ExpectedUniformNegatives())},
	{"uniform", ":PER-NODE", 1, 1, func(x []float64) drawn {
		return func(o ...coles.NegativeOption) coles.NegativeSampler { return coles.UniformNegatives(int(x[0]), o...) }
	}},
	{"degree", ":PER-NODE", 1, 1, func(x []float64) drawn {
		return func(o ...coles.NegativeOption) coles.NegativeSampler { return coles.DegreeNegatives(int(x[0]), o...) }
	}},
	{"erdos-renyi", ":PROBABILITY", 1, 1, func(x []float64) drawn {
		return func(o ...coles.NegativeOption) coles.NegativeSampler { return coles.ErdosRenyiNegatives(x[0], o...) }
	}},
	{"none", "", 0, 0, fixed(coles.NoNegatives())},
}

type drawn = func(...coles.NegativeOption) coles.NegativeSampler

// fixed is a sampler that draws nothing, so that edges cannot be excluded.
func fixed(s coles.NegativeSampler) func([]float64) drawn {
	return func([]float64) drawn {
		return func(...coles.NegativeOption) coles.NegativeSampler { return s }
	}
}

func constructorNames[T any](list []constructor[T]) string {
	names := make([]string, len(list))
	for i, c := range list {
		names[i] = c.name + c.numbers
	}
	return strings.Join(names, ", ")
}

// construct makes what a text such as "appnp:10,0.1" stands for.
func construct[T any](option, text string, list []constructor[T]) (made T, numbers int, err error) {
	name, rest, colon := strings.Cut(text, ":")
	for _, c := range list {
		if c.name != name {
			continue
		}
		var x []float64
		if colon {
			for k, field := range strings.Split(rest, ",") {
				v, err := strconv.ParseFloat(field, 64)
				// Counts come first: hops, or partners a node.
				if counts := c.name != "polynomial" && c.name != "erdos-renyi"; err != nil || k == 0 && counts && (v != math.Trunc(v) || math.Abs(v) > 1e6) {
					return made, 0, usagef("-%s %s: %q is not the number that %s%s wants", option, text, field, c.name, c.numbers)
				}
				x = append(x, v)
			}
		}
		if len(x) < c.least || len(x) > c.most {
			return made, 0, usagef("-%s %s: want %s%s", option, text, c.name, c.numbers)
		}
		return c.make(x), len(x), nil
	}
	return made, 0, usagef("-%s %s: unknown, want one of %s", option, text, constructorNames(list))
}

// readSettings are the default settings, or those of a file, with what the
// options change.
func readSettings(ctx context.Context, c *cli.Command, in *inputs) (coles.Settings, error) {
	s := coles.DefaultSettings()
	if path := c.String("settings"); path != "" {
		if err := readSettingsFile(ctx, in, path, &s); err != nil {
			return s, err
		}
		if err := checkSettings(s); err != nil {
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
	var err error
	if c.IsSet("filter") {
		if s.Filter, _, err = construct("filter", c.String("filter"), filters); err != nil {
			return s, err
		}
	}
	if s.Negatives, err = negatives(c, s.Negatives); err != nil {
		return s, err
	}
	if c.IsSet("precision") {
		if err := s.Precision.UnmarshalText([]byte(c.String("precision"))); err != nil {
			return s, usagef("-precision: %v", err)
		}
	}
	if err := checkSettings(s); err != nil {
		return s, usageError{oneLine(err)}
	}
	return s, nil
}

func negatives(c *cli.Command, before coles.NegativeSampler) (coles.NegativeSampler, error) {
	exclude := c.Bool("exclude-edges")
	if !c.IsSet("negatives") {
		if exclude {
			return before, usagef("-exclude-edges goes with -negatives that are drawn")
		}
		return before, nil
	}
	sampler, numbers, err := construct("negatives", c.String("negatives"), samplers)
	if err != nil {
		return before, err
	}
	if !exclude {
		return sampler(), nil
	}
	if numbers == 0 {
		return before, usagef("-exclude-edges goes with -negatives that are drawn, not with %s", c.String("negatives"))
	}
	return sampler(coles.ExcludeEdges()), nil
}

// checkSettings finds numbers out of range before a large file is read: a
// scaling of one row, like everything that takes options, checks all of them.
func checkSettings(s coles.Settings) error {
	_, err := coles.SpectralScaling(context.Background(), mat.NewDense(1, 1, nil), []float64{1}, coles.WithSettings(s))
	return err
}

// readSettingsFile changes settings by what a JSON file says of them.
func readSettingsFile(ctx context.Context, in *inputs, path string, s *coles.Settings) error {
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
