package distributed

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/internal/kernel"
	"coles/internal/testkit"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// TestFitSameBytes runs the whole default with processors, orders of elements and sizes of shards that
// differ. On one processor, where the embedded engine mostly waits for itself, the filter is short.
func TestFitSameBytes(t *testing.T) {
	c := communities(1000, 40, true, true)
	mixed := sample{n: c.n, x: c.x}
	for _, q := range testkit.Random(5).Perm(len(c.edges)) {
		mixed.edges, mixed.weights = append(mixed.edges, coles.Edge{U: c.edges[q].V, V: c.edges[q].U}), append(mixed.weights, c.weights[q])
	}
	whole := coles.DefaultSettings()
	whole.Dim, whole.Filter = 10, coles.S2GCSum(2)
	short := whole
	short.Filter, short.Kind = coles.SGC(0), coles.UseGraph
	bytes := map[coles.Kind]string{}
	for _, run := range []struct {
		name          string
		c             sample
		set           coles.Settings
		procs         int
		chunk, height int
	}{
		{"two processors", c, whole, 2, 1000, 700},
		{"four, edges in another order, smaller shards", mixed, whole, 4, 170, 90},
		{"two processors, short", c, short, 2, 1000, 700},
		{"one processor, short", mixed, short, 1, 1000, 700},
	} {
		if run.procs == 1 && testing.Short() {
			continue
		}
		before := runtime.GOMAXPROCS(run.procs)
		y, m := fitted(t, run.c, run.set, Grid{Height: 300}, run.chunk, run.height)
		runtime.GOMAXPROCS(before)
		got := fmt.Sprint(testkit.Bits(y), m.Parts()[0].Lambda)
		if first := bytes[run.set.Kind]; first != "" && got != first {
			t.Errorf("%s: other bytes", run.name)
		}
		bytes[run.set.Kind] = got
	}
}

// TestRefusals are settings that cannot be had, before any work.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*plan)
		want   error
	}{
		"drawn negatives":   {func(p *plan) { p.Settings.Negatives = coles.UniformNegatives(3) }, coles.ErrSetting},
		"Krylov":            {func(p *plan) { p.Settings.Solver = coles.SolverKrylov }, coles.ErrSetting},
		"sums in float32":   {func(p *plan) { p.Settings.Precision = coles.Float32 }, coles.ErrSetting},
		"filter of no hop":  {func(p *plan) { p.Settings.Filter = coles.S2GCSum(0) }, coles.ErrSetting},
		"kernel unknown":    {func(p *plan) { p.Grid.Kernel = "abacus" }, coles.ErrSetting},
		"negative height":   {func(p *plan) { p.Grid.Height = -1 }, coles.ErrSetting},
		"messages unknown":  {func(p *plan) { p.Grid.Messages = 7 }, coles.ErrSetting},
		"no nodes":          {func(p *plan) { p.Nodes = 0 }, coles.ErrShape},
		"no features":       {func(p *plan) { p.Columns = 0 }, coles.ErrShape},
		"too many nodes":    {func(p *plan) { p.Nodes = 1 << 31 }, coles.ErrTooLarge},
		"too many features": {func(p *plan) { p.Columns = MostColumns + 1 }, coles.ErrTooLarge},
	} {
		p := plan{Nodes: 100, Columns: 10, Settings: coles.DefaultSettings()}
		c.change(&p)
		if _, err := newPlan(p.Nodes, p.Columns, p.Settings, p.Grid); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	wide := coles.DefaultSettings()
	wide.Dim = 11
	if p := testkit.Must(newPlan(100, 10, wide, Grid{})); p.Settings.Dim != 10 || p.Asked != 11 {
		t.Errorf("11 columns of 10 features are %d, and %d are said to be asked for", p.Settings.Dim, p.Asked)
	}
}

// COLES_KERNEL with a name that is unknown is refused before any work, and by a worker. It is read when a
// program starts: the test runs itself.
func TestKernelsThatAreNotThere(t *testing.T) {
	if os.Getenv("COLES_KERNEL") != "sse9" {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), "COLES_KERNEL=sse9")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	_, err := newPlan(100, 10, coles.DefaultSettings(), Grid{})
	for who, err := range map[string]error{"the launching program": err, "a worker": worker{Kernel: kernel.Path()}.Setup()} {
		if !errors.Is(err, coles.ErrSetting) || !strings.Contains(err.Error(), "sse9") {
			t.Errorf("%s: %v", who, err)
		}
	}
}

// TestBadData is data that a pipeline must not take, and the error for it through the engine.
func TestBadData(t *testing.T) {
	c := communities(60, 4, true, false)
	rows := func(first int64, columns int, data ...float64) rowChunk { return rowChunk{first, columns, data} }
	good := []rowChunk{{0, 4, c.x.RawMatrix().Data[:80]}, {20, 4, c.x.RawMatrix().Data[80:]}}
	set := coles.DefaultSettings()
	set.Kind = coles.UseGraph
	for name, bad := range map[string]struct {
		edges    edgeChunk
		features []rowChunk
		how      coles.Preparation
		messages coles.Precision
		want     error
	}{
		"node beyond":       {edges: edgeChunk{U: []int64{3}, V: []int64{60}}, want: coles.ErrIndex},
		"node below":        {edges: edgeChunk{U: []int64{-1}, V: []int64{6}}, want: coles.ErrIndex},
		"weight no number":  {edges: edgeChunk{U: []int64{1}, V: []int64{6}, Weight: []float64{math.NaN()}}, want: coles.ErrNotFinite},
		"weight below zero": {edges: edgeChunk{U: []int64{1}, V: []int64{6}, Weight: []float64{-1}}, want: coles.ErrNegative},
		"weights overflow":  {edges: edgeChunk{U: []int64{1, 1}, V: []int64{6, 7}, Weight: []float64{1e308, 1e308}}, want: coles.ErrNotFinite},
		"all weights too":   {edges: edgeChunk{U: []int64{1, 3}, V: []int64{6, 7}, Weight: []float64{8e307, 8e307}}, messages: coles.Float64, want: coles.ErrNotFinite},
		"heavy for float32": {edges: edgeChunk{U: []int64{1}, V: []int64{6}, Weight: []float64{1e100}}, want: coles.ErrPrecision},
		"light for float32": {edges: edgeChunk{U: []int64{1, 2, 2, 3}, V: []int64{6, 3, 4, 5}, Weight: []float64{1e-100, 1, 1, 1}}, want: coles.ErrPrecision},
		"feature no number": {features: append([]rowChunk{rows(20, 4, 1, 2, math.Inf(1), 4)}, good[0]), want: coles.ErrNotFinite},
		"other columns":     {features: []rowChunk{rows(0, 3, make([]float64, 180)...)}, want: coles.ErrShape},
		"rows beyond":       {features: append([]rowChunk{rows(59, 4, make([]float64, 8)...)}, good...), want: coles.ErrShape},
		"rows twice":        {features: append([]rowChunk{rows(10, 4, 1, 2, 3, 4)}, good...), want: coles.ErrShape},
		"rows missing":      {features: []rowChunk{good[0], {40, 4, good[1].Data[80:]}}, want: coles.ErrShape},
		"a block missing":   {features: good[:1], want: coles.ErrShape},
		"counts below zero": {features: good, how: coles.PrepareTFIDF, want: coles.ErrNegative},
		"squares that sink": {features: []rowChunk{rows(0, 4, slices.Repeat([]float64{1e-200}, 240)...)}, how: coles.PrepareNone, want: coles.ErrPrecision},
	} {
		t.Run(name, func(t *testing.T) {
			if bad.features == nil {
				bad.features = good
			}
			set := set
			set.Preparation = bad.how
			_, err := runPipeline(t, func(s beam.Scope) {
				in := input{features: beam.CreateList(s, bad.features)}
				if bad.edges.U != nil {
					in.edges = beam.Create(s, bad.edges)
				}
				y, _ := c.plan(set, Grid{Height: 20, Messages: bad.messages}).fit(s, in)
				beam.ParDo0(s, &collectRows{}, beam.DropKey(s, y))
			})
			rowsSeen.taken()
			if !errors.Is(err, bad.want) {
				t.Errorf("%v, want %v", err, bad.want)
			}
		})
	}
}
