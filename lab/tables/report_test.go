package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"coles/internal/testkit"
	"coles/lab/measures"
)

// madeUp are cells of three kinds of tables, with nothing measured.
func madeUp() []cell {
	return []cell{
		{Table: "classification", Dataset: "cora", PerClass: 5, Method: "COLES-S2GC", Scaling: &scalings[0], Seeds: 1, Seconds: 0.25,
			Measures: []measure{{Mean: 78.31, Std: 2.6, Paper: printedFigure{Mean: 76.5}}}},
		{Table: "classification", Dataset: "cora", PerClass: 5, Method: "SGC <script>", Scaling: &scalings[0], Seeds: 1, Seconds: 0.1,
			Measures: []measure{{Mean: 69.4, Std: 4.6}}},
		{Table: "classification", Dataset: "cora", PerClass: 5, Method: "Raw", Scaling: &scalings[0], Seeds: 1, Seconds: 0.1,
			Measures: []measure{{Mean: 100, Std: 0, Paper: printedFigure{Mean: 100.04}}}},
		{Table: "kappa", Dataset: "cora", PerClass: 20, Method: "COLES-S2GC", Varied: &setting{"kappa", "κ", 0}, Scaling: &scalings[0], Seeds: 1,
			Measures: []measure{{Mean: 80, Std: 1, Paper: printedFigure{Mean: 79.88}}}},
		{Table: "kappa", Dataset: "cora", PerClass: 20, Method: "COLES-S2GC", Varied: &setting{"kappa", "κ", 5}, Scaling: &scalings[0], Seeds: 1,
			Measures: []measure{{Mean: 82, Std: 1, Paper: printedFigure{Mean: 81.18}}}},
		{Table: "clustering", Dataset: "cora", Method: "COLES-S2GC", Chosen: &setting{"hops", "K", 10}, Seeds: 1, Seconds: 0.5, Measures: []measure{
			{Key: "acc", Label: "accuracy", Mean: 73.3, Std: 0.1, Paper: printedFigure{Mean: 69.7}},
			{Key: "nmi", Label: "NMI", Mean: 57.5, Std: 0.2, Paper: printedFigure{Mean: 55.35}},
			{Key: "f1", Label: "F1", Mean: 69.3, Std: 0.3}}},
	}
}

// scalingOf is the column of that name.
func scalingOf(name string) *scaling {
	return &scalings[slices.IndexFunc(scalings, func(s scaling) bool { return s.name == name })]
}

func written(t *testing.T, asJSON bool, cells []cell) string {
	t.Helper()
	var b bytes.Buffer
	out := &report{w: &b, asJSON: asJSON}
	for _, c := range cells {
		testkit.Check(t, out.add(c))
		if at := strings.HasSuffix(b.String(), "}\n"); at != asJSON {
			t.Errorf("JSON %v after a cell: %q", asJSON, b.String())
		}
	}
	testkit.Check(t, out.finish())
	return b.String()
}

func TestJSONLinesNameTheirFigures(t *testing.T) {
	lines := strings.Split(written(t, true, madeUp()), "\n")
	for i, want := range map[int]string{
		0: `{"table":"classification","dataset":"cora","per_class":5,"method":"COLES-S2GC","column":"raw","mean":78.31,"std":2.6,"seeds":1,"paper":76.5,"seconds":0.25}`,
		4: `{"table":"kappa","dataset":"cora","per_class":20,"method":"COLES-S2GC","kappa":5,"column":"raw","mean":82,"std":1,"seeds":1,"paper":81.18,"seconds":0}`,
		5: `{"table":"clustering","dataset":"cora","method":"COLES-S2GC","hops":10,"acc":73.3,"nmi":57.5,"f1":69.3,"acc_std":0.1,"nmi_std":0.2,"f1_std":0.3,"seeds":1,"acc_paper":69.7,"nmi_paper":55.35,"seconds":0.5}`,
	} {
		testkit.WantSame(t, fmt.Sprint("line ", i), lines[i], want)
	}
}

func TestMarkdownOfOneTableHasNoTitle(t *testing.T) {
	one := written(t, false, madeUp()[:3])
	if want := "| | cora, 5 |\n|---|---|\n| COLES-S2GC | 78.3 ± 2.6 (76.5) |\n| SGC <script> | 69.4 ± 4.6 |\n| Raw | 100.0 ± 0.0 (100.0) |\n"; !strings.HasPrefix(one, want) {
		t.Errorf("got\n%swant\n%s", one, want)
	}
	all := written(t, false, madeUp())
	testkit.WantText(t, all, "## Node classification\n\n| | cora, 5 |", "| COLES-S2GC, κ = 5 | 82.0 ± 1.0 (81.2) |", "| | cora, accuracy | cora, NMI | cora, F1 |", "COLES-S2GC on cora: K = 10.")
}

// Every column is a table, in which others are compared with COLES-S2GC: by half a point with p =
// 0.03 and by no more than chance.
func TestColumnsAreTablesOfTheirOwn(t *testing.T) {
	at := func(method string, s *scaling, m measure) cell {
		return cell{Table: "classification", Dataset: "cora", PerClass: 5, Method: method, Scaling: s, Seeds: 1, Measures: []measure{m}}
	}
	all := []cell{
		at("COLES-S2GC", &scalings[0], measure{Mean: 78, Std: 2}), at("COLES-S2GC", scalingOf("cv"), measure{Mean: 77, Std: 3}),
		at("SGC", &scalings[0], measure{Mean: 77.5, Std: 4, Paper: printedFigure{63.9, 1.5}, Difference: &measures.Comparison{Mean: -0.005, Low: -0.009, High: -0.001, P: 0.03004}}),
		at("SGC", scalingOf("cv"), measure{Mean: 77.1, Std: 5, Difference: &measures.Comparison{Mean: 0.001, Low: -0.01, High: 0.012, P: 0.4}}),
	}
	testkit.WantText(t, written(t, false, all),
		"## Node classification\n\n| | cora, 5 | Δ |\n|---|---|---|\n| COLES-S2GC | 78.0 ± 2.0 | |\n| SGC | 77.5 ± 4.0 (63.9) | −0.5 ▼ |\n",
		"## Node classification, C by cross-validation\n\n| | cora, 5 | Δ |\n|---|---|---|\n| COLES-S2GC | 77.0 ± 3.0 | |\n| SGC | 77.1 ± 5.0 | +0.1 ≈ |\n",
		"Δ is the mean difference from COLES-S2GC")
	testkit.WantText(t, written(t, true, all),
		`"method":"SGC","column":"raw","mean":77.5,"std":4,"seeds":1,"paper":63.9,"paper_std":1.5,"difference":-0.5,"difference_low":-0.9,"difference_high":-0.1,"p":0.03,"seconds":0`,
		`"method":"SGC","column":"cv","mean":77.1,"std":5,"seeds":1,"difference":0.1,"difference_low":-1,"difference_high":1.2,"p":0.4,"seconds":0`)
}

func TestFormatsWriteNothingMeasured(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		testkit.WantSame(t, fmt.Sprint("JSON ", asJSON), written(t, asJSON, nil), "") // a data set without features, say
	}
}
