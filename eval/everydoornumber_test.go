package eval

import (
	"math"
	"testing"
)

// The table of labellings for every door that compares two.
func TestLabelDoors(t *testing.T) {
	all := []string{"Accuracy", "MicroF1", "MacroF1", "ConfusionMatrix", "NMI", "ARI", "ClusterAccuracy", "ClusterMacroF1", "ClusterMap", "ExpectedHomophily"}
	two := all[:len(all)-1]
	for _, c := range []struct {
		name string
		a, b []int
		want []refusal
	}{
		{"plain", []int{0, 1, 1, 2}, []int{1, 1, 0, 2}, nil},
		{"nil", nil, nil, []refusal{by(ErrEmpty, all...)}},
		{"one nil", []int{1}, nil, []refusal{by(ErrShape, two...)}},
		{"lengths differ", []int{1, 2}, []int{1}, []refusal{by(ErrShape, two...)}},
		{"one thing", []int{3}, []int{4}, nil},
		{"one class", []int{3, 3, 3}, []int{4, 4, 4}, nil},
		{"all differ", []int{0, 1, 2}, []int{2, 3, 0}, nil},
		{"negative", []int{-1, -1, 5}, []int{-7, 0, -7}, []refusal{by(ErrLabel, "ExpectedHomophily")}},
		{"at the ends", []int{math.MaxInt, math.MinInt, 0}, []int{math.MinInt, math.MinInt, math.MaxInt}, []refusal{by(ErrLabel, "ExpectedHomophily")}},
		{"very many", upTo(1 << 13), upTo(1 << 13), []refusal{by(ErrShape, "ConfusionMatrix", "ClusterAccuracy", "ClusterMacroF1", "ClusterMap")}},
	} {
		for name, open := range map[string]func() (any, error){
			"Accuracy":          func() (any, error) { return Accuracy(c.a, c.b) },
			"MicroF1":           func() (any, error) { return MicroF1(c.a, c.b) },
			"MacroF1":           func() (any, error) { return MacroF1(c.a, c.b) },
			"ConfusionMatrix":   func() (any, error) { return ConfusionMatrix(c.a, c.b) },
			"NMI":               func() (any, error) { return NMI(c.a, c.b) },
			"ARI":               func() (any, error) { return ARI(c.a, c.b) },
			"ClusterAccuracy":   func() (any, error) { return ClusterAccuracy(c.a, c.b) },
			"ClusterMacroF1":    func() (any, error) { return ClusterMacroF1(c.a, c.b) },
			"ClusterMap":        func() (any, error) { return ClusterMap(c.a, c.b) },
			"ExpectedHomophily": func() (any, error) { return ExpectedHomophily(c.a) },
		} {
			t.Run(c.name+", "+name, func(t *testing.T) { try(t, name, c.want, open) })
		}
	}
}

// The table of numbers for every door that reads samples, scores or results of splits.
func TestNumberDoors(t *testing.T) {
	const largest = math.MaxFloat64
	good, nan, inf := []float64{1, 2, 4}, []float64{1, math.NaN(), 2}, []float64{1, math.Inf(-1), 2}
	ranked := []string{"AUC", "AveragePrecision", "HitsAt"}
	split := []string{"Compare", "corrected", "SignTest"}
	alone := []string{"MeanStd", "ScottBandwidth", "SilvermanBandwidth"} // they read the first sample only
	spread := []string{"ScottBandwidth", "SilvermanBandwidth", "DensityGrid", "ParzenDensity", "JensenShannonOfSamples"}
	wide := []string{"DensityGrid, h", "ParzenDensity, h", "JensenShannonOfSamples, h"}
	both := append(append(append([]string{"JensenShannon", "Wasserstein"}, ranked...), append(split, wide...)...), spread[2:]...)
	all := append(append([]string{}, alone...), both...)
	noSpread := by(ErrBandwidth, spread...)
	squares := []refusal{noSpread, by(ErrNotFinite, "MeanStd", "Compare", "corrected")}
	for _, c := range []struct {
		name string
		a, b []float64
		want []refusal
	}{
		{"plain", good, []float64{2, 1, 3}, nil},
		{"nil", nil, nil, []refusal{by(ErrEmpty, all...)}},
		{"the first nil", nil, good, []refusal{by(ErrEmpty, all...), by(ErrShape, split...), by(ErrShape, "JensenShannon")}},
		{"the second nil", good, nil, []refusal{by(ErrEmpty, both...), by(ErrShape, split...), by(ErrShape, "JensenShannon")}},
		{"lengths differ", good, good[:2], []refusal{by(ErrShape, split...), by(ErrShape, "JensenShannon")}},
		{"one number", good[:1], good[:1], []refusal{noSpread, by(ErrEmpty, "Compare", "corrected")}},
		{"equal", good, good, nil},
		{"constant", []float64{2, 2, 2}, []float64{1, 1, 1}, []refusal{noSpread}},
		{"zeros", make([]float64, 3), make([]float64, 3), []refusal{noSpread, by(ErrDistribution, "JensenShannon")}},
		{"NaN first", nan, good, []refusal{by(ErrNotFinite, all...)}},
		{"NaN second", good, nan, []refusal{by(ErrNotFinite, both...)}},
		{"-Inf first", inf, good, []refusal{by(ErrNotFinite, all...)}},
		{"-Inf second", good, inf, []refusal{by(ErrNotFinite, both...)}},
		{"negative", []float64{-1, -2, -3}, good, []refusal{by(ErrDistribution, "JensenShannon")}},
		{"the largest", []float64{largest, largest, largest}, []float64{largest, largest, largest}, []refusal{noSpread, by(ErrNotFinite, "MeanStd")}},
		{"the largest of both signs", []float64{largest, -largest, 0}, []float64{-largest, largest, 0}, []refusal{
			by(ErrNotFinite, split...), by(ErrNotFinite, "MeanStd", "DensityGrid, h", "JensenShannonOfSamples, h"), noSpread, by(ErrDistribution, "JensenShannon")}},
		{"one the largest", []float64{largest, 1, 2}, good, append(squares, by(ErrBandwidth, "JensenShannonOfSamples, h"))},
		{"of 1e308", []float64{1e308, 0.9e308, 0.8e308}, []float64{1e308, 0.7e308, 0.8e308}, append(squares, by(ErrBandwidth, "JensenShannonOfSamples, h"))},
		{"of 1e200", []float64{1e200, 2e200, 3e200}, []float64{1e200, 0, 3e200}, append(squares, by(ErrBandwidth, "JensenShannonOfSamples, h"))},
		{"of 1e-200", []float64{1e-200, 2e-200, 3e-200}, []float64{1e-200, 0, 3e-200}, []refusal{noSpread}},
		{"the smallest", []float64{5e-324, 0, 0}, []float64{0, 5e-324, 5e-324}, []refusal{noSpread}},
	} {
		for name, open := range map[string]func() (any, error){
			"AUC":                       func() (any, error) { return AUC(c.a, c.b) },
			"AveragePrecision":          func() (any, error) { return AveragePrecision(c.a, c.b) },
			"HitsAt":                    func() (any, error) { return HitsAt(c.a, c.b, 1) },
			"MeanStd":                   func() (any, error) { m, s, err := MeanStd(c.a); return []float64{m, s}, err },
			"Compare":                   func() (any, error) { return Compare(c.a, c.b) },
			"corrected":                 func() (any, error) { return Compare(c.a, c.b, WithCorrection(1, 300), WithLevel(0.999)) },
			"SignTest":                  func() (any, error) { return SignTest(c.a, c.b) },
			"DensityGrid":               func() (any, error) { return DensityGrid(16, 0, c.a, c.b) },
			"DensityGrid, h":            func() (any, error) { return DensityGrid(16, 1, c.a, c.b) },
			"JensenShannon":             func() (any, error) { return JensenShannon(c.a, c.b) },
			"JensenShannonOfSamples":    func() (any, error) { return JensenShannonOfSamples(background, c.a, c.b, 64, 0) },
			"JensenShannonOfSamples, h": func() (any, error) { return JensenShannonOfSamples(background, c.a, c.b, 64, 1) },
			"ParzenDensity":             func() (any, error) { return ParzenDensity(background, c.a, c.b, 0) },
			"ParzenDensity, h":          func() (any, error) { return ParzenDensity(background, c.a, c.b, 1) },
			"ScottBandwidth":            func() (any, error) { return ScottBandwidth(c.a) },
			"SilvermanBandwidth":        func() (any, error) { return SilvermanBandwidth(c.a) },
			"Wasserstein":               func() (any, error) { return Wasserstein(c.a, c.b) },
		} {
			t.Run(c.name+", "+name, func(t *testing.T) { try(t, name, c.want, open) })
		}
	}
}
