package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coles/dataset"
	"coles/examples/internal/clitest"
	"coles/internal/kernel"
	"coles/internal/testkit"
)

// madeUp are cells of three kinds of tables, with nothing measured.
func madeUp() []cell {
	return []cell{
		{Table: "classification", Dataset: "cora", PerClass: 5, Method: "COLES-S2GC", Seeds: 1, Seconds: 0.25,
			Measures: []measure{{Mean: 78.31, Std: 2.6, Paper: 76.5}}},
		{Table: "classification", Dataset: "cora", PerClass: 5, Method: "SGC <script>", Seeds: 1, Seconds: 0.1,
			Measures: []measure{{Mean: 69.4, Std: 4.6}}},
		{Table: "classification", Dataset: "cora", PerClass: 5, Method: "Raw", Seeds: 1, Seconds: 0.1,
			Measures: []measure{{Mean: 100, Std: 0, Paper: 100.04}}},
		{Table: "kappa", Dataset: "cora", PerClass: 20, Method: "COLES-S2GC", Varied: &setting{"kappa", "κ", 0}, Seeds: 1,
			Measures: []measure{{Mean: 80, Std: 1, Paper: 79.88}}},
		{Table: "kappa", Dataset: "cora", PerClass: 20, Method: "COLES-S2GC", Varied: &setting{"kappa", "κ", 5}, Seeds: 1,
			Measures: []measure{{Mean: 82, Std: 1, Paper: 81.18}}},
		{Table: "clustering", Dataset: "cora", Method: "COLES-S2GC", Chosen: &setting{"hops", "K", 10}, Seeds: 1, Seconds: 0.5, Measures: []measure{
			{Key: "acc", Label: "accuracy", Mean: 73.3, Std: 0.1, Paper: 69.7},
			{Key: "nmi", Label: "NMI", Mean: 57.5, Std: 0.2, Paper: 55.35},
			{Key: "f1", Label: "F1", Mean: 69.3, Std: 0.3}}},
	}
}

func written(t *testing.T, format string, cells []cell) string {
	t.Helper()
	var b bytes.Buffer
	out := &report{w: &b, format: format}
	for _, c := range cells {
		if err := out.add(c); err != nil {
			t.Fatal(err)
		}
		if at := strings.HasSuffix(b.String(), "}\n"); at != (format == "json") {
			t.Errorf("%s after a cell: %q", format, b.String())
		}
	}
	if err := out.finish(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestJSONLinesNameTheirFigures(t *testing.T) {
	lines := strings.Split(written(t, "json", madeUp()), "\n")
	for i, want := range map[int]string{
		0: `{"table":"classification","dataset":"cora","per_class":5,"method":"COLES-S2GC","mean":78.31,"std":2.6,"seeds":1,"paper":76.5,"seconds":0.25}`,
		4: `{"table":"kappa","dataset":"cora","per_class":20,"method":"COLES-S2GC","kappa":5,"mean":82,"std":1,"seeds":1,"paper":81.18,"seconds":0}`,
		5: `{"table":"clustering","dataset":"cora","method":"COLES-S2GC","hops":10,"acc":73.3,"nmi":57.5,"f1":69.3,"acc_std":0.1,"nmi_std":0.2,"f1_std":0.3,"seeds":1,"acc_paper":69.7,"nmi_paper":55.35,"seconds":0.5}`,
	} {
		if lines[i] != want {
			t.Errorf("line %d: %s\nwant    %s", i, lines[i], want)
		}
	}
}

func TestCSVHasAColumnForEveryName(t *testing.T) {
	lines, err := csv.NewReader(strings.NewReader(written(t, "csv", madeUp()))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 1+len(madeUp()) {
		t.Fatalf("%d lines for %d cells", len(lines), len(madeUp()))
	}
	for _, c := range []struct {
		line        int
		name, value string
	}{
		{1, "mean", "78.31"}, {1, "paper", "76.5"}, {1, "kappa", ""}, {2, "method", "SGC <script>"}, {2, "paper", ""},
		{4, "kappa", "0"}, {5, "kappa", "5"}, {6, "nmi_std", "0.2"}, {6, "mean", ""},
	} {
		column := slices.Index(lines[0], c.name)
		if column < 0 || lines[c.line][column] != c.value {
			t.Errorf("line %d, %s: %q of %q, want %q", c.line, c.name, lines[c.line], lines[0], c.value)
		}
	}
	if slices.Contains(lines[0], "f1_paper") {
		t.Error("there is a column f1_paper, which no cell has")
	}
}

func TestMarkdownOfOneTableHasNoTitle(t *testing.T) {
	one := written(t, "markdown", madeUp()[:3])
	if want := "| | cora, 5 |\n|---|---|\n| COLES-S2GC | 78.3 ± 2.6 (76.5) |\n| SGC <script> | 69.4 ± 4.6 |\n| Raw | 100.0 ± 0.0 (100.0) |\n"; !strings.HasPrefix(one, want) {
		t.Errorf("got\n%swant\n%s", one, want)
	}
	all := written(t, "markdown", madeUp())
	clitest.WantText(t, all, "## Node classification\n\n| | cora, 5 |", "| COLES-S2GC, κ = 5 | 82.0 ± 1.0 (81.2) |", "| | cora, accuracy | cora, NMI | cora, F1 |", "COLES-S2GC on cora: K = 10.")
}

func TestFormatsWriteNothingMeasured(t *testing.T) {
	for format := range formats {
		written(t, format, nil) // a data set without features, say
	}
}

func TestPageSaysWhatWasMeasured(t *testing.T) {
	page := written(t, "html", madeUp())
	clitest.WantText(t, page,
		`data-value="78.3"`, "76.5 <span class=\"better\">&#43;1.8</span>", // 78.3 − 76.5
		"SGC &lt;script&gt;", // a name is never markup
		"100.0 <span class=\"better\">&#43;0.0</span>",
		`<polyline points="`, `<title>COLES-S2GC, 20 labels a class, 5: 82.0 ± 1.0</title>`,
		"20 labels a class, the paper, 0: 79.9</title>",
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
	clitest.WantText(t, page, filepath.Base(os.Args[0]), kernel.Path()+" kernels")
	if strings.Count(page, "<svg viewBox=\"0 0 340") != 1 {
		t.Errorf("%d charts, want one: of kappa on cora", strings.Count(page, "<svg viewBox=\"0 0 340"))
	}
}

// The introduction speaks of nothing that is not on the page.
func TestIntroductionIsOfWhatIsThere(t *testing.T) {
	const title, bold, paper, plot = "and in the paper</h1>", "is bold", "the paper prints", "mark of a plot"
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
			if has := strings.Contains(page, text); has != slices.Contains(c.has, text) {
				t.Errorf("%s: %q is there: %v", c.name, text, has)
			}
		}
	}
}

// A page has a map of the raw features of a data set and one of its embedding, of the same nodes and
// within the frame.
func TestPageHasMapsOfTheSameNodes(t *testing.T) {
	d := testkit.Must(dataset.Communities{Nodes: 700, Features: 60, Seed: 1}.Generate(t.Context()))
	p := &problem{Dataset: d, graph: testkit.Must(d.Graph())}
	var b bytes.Buffer
	out := &report{w: &b, format: "html"}
	if err := out.draw(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if len(out.clouds) != 2 || len(out.clouds[0].Dots) != 600 || len(out.clouds[1].Dots) != 600 {
		t.Fatalf("%d maps of %d dots", len(out.clouds), len(out.clouds[0].Dots))
	}
	for k, raw := range out.clouds[0].Dots {
		embedded := out.clouds[1].Dots[k]
		if raw.Style != embedded.Style {
			t.Fatalf("dot %d is of class %d and %d", k, raw.Style, embedded.Style)
		}
		for _, at := range []dot{raw, embedded} {
			if at.X < 0 || at.X > frame.Width || at.Y < 0 || at.Y > frame.Height {
				t.Fatalf("dot %d lies outside at (%g, %g)", k, at.X, at.Y)
			}
		}
	}
	if err := out.finish(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), `class="mark s`); got != 1200 {
		t.Errorf("%d marks are drawn, want 1200", got)
	}
}
