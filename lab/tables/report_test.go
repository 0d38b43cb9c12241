package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coles/dataset/synthetic"
	"coles/internal/kernel"
	"coles/internal/testkit"
	"coles/lab/internal/labtest"
	"coles/lab/measures"
	"coles/picture"
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

func written(t *testing.T, format string, cells []cell) string {
	t.Helper()
	var b bytes.Buffer
	out := &report{w: &b, format: format}
	for _, c := range cells {
		testkit.Check(t, out.add(c))
		if at := strings.HasSuffix(b.String(), "}\n"); at != (format == "json") {
			t.Errorf("%s after a cell: %q", format, b.String())
		}
	}
	testkit.Check(t, out.finish())
	return b.String()
}

func TestJSONLinesNameTheirFigures(t *testing.T) {
	lines := strings.Split(written(t, "json", madeUp()), "\n")
	for i, want := range map[int]string{
		0: `{"table":"classification","dataset":"cora","per_class":5,"method":"COLES-S2GC","column":"raw","mean":78.31,"std":2.6,"seeds":1,"paper":76.5,"seconds":0.25}`,
		4: `{"table":"kappa","dataset":"cora","per_class":20,"method":"COLES-S2GC","kappa":5,"column":"raw","mean":82,"std":1,"seeds":1,"paper":81.18,"seconds":0}`,
		5: `{"table":"clustering","dataset":"cora","method":"COLES-S2GC","hops":10,"acc":73.3,"nmi":57.5,"f1":69.3,"acc_std":0.1,"nmi_std":0.2,"f1_std":0.3,"seeds":1,"acc_paper":69.7,"nmi_paper":55.35,"seconds":0.5}`,
	} {
		testkit.WantSame(t, fmt.Sprint("line ", i), lines[i], want)
	}
}

func TestMarkdownOfOneTableHasNoTitle(t *testing.T) {
	one := written(t, "markdown", madeUp()[:3])
	if want := "| | cora, 5 |\n|---|---|\n| COLES-S2GC | 78.3 ± 2.6 (76.5) |\n| SGC <script> | 69.4 ± 4.6 |\n| Raw | 100.0 ± 0.0 (100.0) |\n"; !strings.HasPrefix(one, want) {
		t.Errorf("got\n%swant\n%s", one, want)
	}
	all := written(t, "markdown", madeUp())
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
	testkit.WantText(t, written(t, "markdown", all),
		"## Node classification\n\n| | cora, 5 | Δ |\n|---|---|---|\n| COLES-S2GC | 78.0 ± 2.0 | |\n| SGC | 77.5 ± 4.0 (63.9) | −0.5 ▼ |\n",
		"## Node classification, C by cross-validation\n\n| | cora, 5 | Δ |\n|---|---|---|\n| COLES-S2GC | 77.0 ± 3.0 | |\n| SGC | 77.1 ± 5.0 | +0.1 ≈ |\n",
		"Δ is the mean difference from COLES-S2GC")
	testkit.WantText(t, written(t, "json", all),
		`"method":"SGC","column":"raw","mean":77.5,"std":4,"seeds":1,"paper":63.9,"paper_std":1.5,"difference":-0.5,"difference_low":-0.9,"difference_high":-0.1,"p":0.03,"seconds":0`,
		`"method":"SGC","column":"cv","mean":77.1,"std":5,"seeds":1,"difference":0.1,"difference_low":-1,"difference_high":1.2,"p":0.4,"seconds":0`)
	testkit.WantText(t, written(t, "html", all), `<section id="classification" `, `<section id="classification-cv" `,
		`<a href="#classification-cv">Node classification, C by cross-validation</a>`, "63.9 ± 1.5 <span", "</span>−0.5 ▼</span>")
}

func TestFormatsWriteNothingMeasured(t *testing.T) {
	for format := range formats {
		written(t, format, nil) // a data set without features, say
	}
}

func TestPageSaysWhatWasMeasured(t *testing.T) {
	page := written(t, "html", madeUp())
	testkit.WantText(t, page,
		`data-value="78.3"`, "76.5 <span class=\"better\">&#43;1.8</span>", // 78.3 − 76.5
		"SGC &lt;script&gt;", // a name is never markup
		"100.0 <span class=\"better\">&#43;0.0</span>",
		`alt="cora: percent over κ, negative graphs; the figures are in the table"`,
		"COLES-S2GC on cora: K = 10.",
		"prefers-color-scheme: dark", "@media print")
	for _, never := range []string{"://", "ZgotmplZ", "<no value>", "NaN", "SGC <script>"} {
		if strings.Contains(page, never) {
			t.Errorf("the page has %q", never)
		}
	}
	for _, name := range []string{"Date", "Version", "Command", "Seed", "Machine"} {
		if !regexp.MustCompile("<dt>" + name + "</dt><dd>[^<]+</dd>").MatchString(page) {
			t.Errorf("the foot of the page does not say %q", name)
		}
	}
	testkit.WantText(t, page, filepath.Base(os.Args[0]), kernel.Path()+" kernels")
	testkit.WantSame(t, "number of charts, of kappa on cora", strings.Count(page, "<img "), 1)
}

// A chart has the measurements with their deviations, and the paper's figures.
func TestChartsHaveTheFiguresOfTheTable(t *testing.T) {
	all := madeUp()
	testkit.WantSame(t, "charts", grids(all[3:5])[0].charts(), []chart{{
		Dataset: "cora", Zero: true,
		Ours:    []picture.Series{{Name: "COLES-S2GC, 20 labels a class", X: []float64{0, 5}, Y: []float64{80, 82}, Error: []float64{1, 1}}},
		Printed: []picture.Series{{Name: "COLES-S2GC, 20 labels a class, the paper", X: []float64{0, 5}, Y: []float64{79.88, 81.18}}},
	}})
	testkit.WantSame(t, "charts over labels", grids(all[1:2])[0].charts(), []chart{{
		Dataset: "cora", Ours: []picture.Series{{Name: "SGC <script>", X: []float64{5}, Y: []float64{69.4}, Error: []float64{4.6}}},
	}})
}

// The introduction speaks of nothing that is not on the page.
func TestIntroductionIsOfWhatIsThere(t *testing.T) {
	const title, bold, paper, plot = "and in the paper</h1>", "is bold", "the paper prints", `<div class="charts">`
	all := madeUp()
	for _, c := range []struct {
		name  string
		cells []cell
		has   []string
	}{
		{"all", all, []string{title, bold, paper, plot}},
		{"one figure that is not in the paper", all[1:2], nil},
		{"one that is", all[:1], []string{title, paper}},
		{"several", all[:3], []string{title, bold, paper}},
		{"nothing", nil, nil},
	} {
		page := written(t, "html", c.cells)
		for _, text := range []string{title, bold, paper, plot} {
			testkit.WantSame(t, fmt.Sprintf("%s: that %q is there", c.name, text), strings.Contains(page, text), slices.Contains(c.has, text))
		}
	}
}

// A page has a map of the raw features of a data set and one of its embedding, of the same nodes: as
// many of each colour, of which the legend has one more.
func TestPageHasMapsOfTheSameNodes(t *testing.T) {
	nodes, drawn := 100, 100
	if labtest.Long() { // t-SNE of more takes seconds
		nodes, drawn = 700, 600
	}
	d := testkit.Must(synthetic.Communities{Nodes: nodes, Classes: 2, Features: 60, Seed: 1}.Generate(t.Context()))
	p := &problem{Dataset: d, graph: testkit.Must(d.Graph())}
	var b bytes.Buffer
	out := &report{w: &b, format: "html"}
	testkit.Check(t, out.draw(t.Context(), p))
	testkit.Check(t, out.finish())
	var dots [][2]int
	for _, m := range regexp.MustCompile(`<img src="data:image/svg&#43;xml;base64,([^"]*)" alt="[^"]*: nodes in`).FindAllStringSubmatch(b.String(), -1) {
		svg := string(testkit.Must(base64.StdEncoding.DecodeString(html.UnescapeString(m[1]))))
		dots = append(dots, [2]int{strings.Count(svg, "fill:#0072B2"), strings.Count(svg, "fill:#D55E00")})
	}
	if len(dots) != 2 || dots[0] != dots[1] || dots[0][0]+dots[0][1] != drawn+2 {
		t.Errorf("dots by map and class: %v, want %d in each map", dots, drawn)
	}
}
