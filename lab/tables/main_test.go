package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/examples/shared/cli"
	"coles/examples/shared/clitest"
	"coles/internal/testkit"
	"coles/lab/internal/labtest"
	"coles/lab/internal/programs"
)

// measured runs the command on real graphs and returns its lines of JSON, of which it wants a number.
func measured(t *testing.T, lines int, args ...string) []map[string]any {
	t.Helper()
	return measuredIn(t, testkit.Shared(t, "data"), lines, args...)
}

// measuredIn is measured on the graphs of a folder.
func measuredIn(t *testing.T, data string, lines int, args ...string) []map[string]any {
	t.Helper()
	stdout, _ := clitest.Run(t, run, append([]string{"-data", data, "-json"}, args...)...)
	var all []map[string]any
	for line := range strings.Lines(stdout) {
		var members map[string]any
		testkit.Check(t, json.Unmarshal([]byte(line), &members))
		all = append(all, members)
	}
	if len(all) != lines {
		t.Fatalf("%d lines, want %d:\n%s", len(all), lines, stdout)
	}
	return all
}

func TestNamesAreMatchedWithoutCaseAndPunctuation(t *testing.T) {
	for name, want := range map[string]string{
		"coles-s2gc":          "COLES-S2GC",
		"COLES S²GC":          "COLES-S2GC",
		"s2gc(same features)": "S2GC (same features)",
		"S²GC":                "S2GC",
		"pca_s2gc":            "PCA-S2GC",
		"coles":               "",
	} {
		testkit.WantSame(t, name, programs.Names(pick(allMethods(), name)), want)
	}
}

// Every method of a table can be asked for by its name.
func TestMethodsAreFoundByTheirNames(t *testing.T) {
	for _, kind := range tables() {
		for _, m := range kind.methods {
			chosen, err := chooseMethods([]table{kind}, m.name)
			if err != nil || chosen[0].rows[0].name != m.name {
				t.Errorf("%s: %q is not found: %v", kind.Name, m.name, err)
			}
		}
	}
}

func TestTablePrintsOneCellPerLineOfJSON(t *testing.T) {
	const lines = 3 * 2 * 2 // methods, columns, numbers of labels
	for i, l := range measured(t, lines, "-datasets", "texas", "-methods", "raw,coles-s2gc,eigenmaps", "-splits", "3", "-columns", "cv,raw") {
		mean, _ := l["mean"].(float64)
		if l["table"] != "classification" || l["dataset"] != "texas" || l["per_class"] != float64(perClass[i%2]) || mean <= 0 || mean > 100 || l["paper"] != nil {
			t.Errorf("line %d: %v", i, l)
		}
		if l["column"] != []string{"cv", "raw"}[i/2%2] || (l["difference"] == nil) != (l["method"] == "COLES-S2GC") {
			t.Errorf("line %d: %v", i, l)
		}
	}
}

func TestTableShowsThePapersFigures(t *testing.T) {
	data := testkit.Shared(t, "data")
	stdout, _ := clitest.Run(t, run, "-data", data, "-datasets", "cora", "-methods", "s2gc", "-splits", "2")
	testkit.WantText(t, stdout, "| | cora, 5 | cora, 20 |", "| S2GC |", "(71.4)", "(81.3)")
	_, stderr := clitest.Run(t, run, "-data", data, "-datasets", "texas", "-methods", "raw", "-splits", "3")
	testkit.WantText(t, stderr, "3 splits of 5 per class are drawn")
}

// Figures as they stand in the paper's tables.
func TestPaperIsRead(t *testing.T) {
	p := testkit.Must(readPaper())
	testkit.WantSame(t, "the paper", []printedFigure{
		p[[5]string{"classification", "pubmed", "COLES-S2GC", "", "20"}], p[[5]string{"classification", "citeseer", "GCA", "", "5"}],
		p[[5]string{"kappa", "citeseer", "COLES-GCN", "0", "5"}], p[[5]string{"clustering", "pubmed", "Spectral-g", "", "nmi"}],
	}, []printedFigure{{77.4, 1.9}, {43.2, 0}, {45.31, 0}, {3.46, 0}})
	// GraphCL, GRACE and GCA ran out of memory on Pubmed; 17 methods are on Cora Full; five clusterings are of Cora alone.
	testkit.WantSame(t, "number of figures", len(p), 25*3*2-3*2+17*2+4*2*2*2+9*3*3+5*3+11+7)
}

// Every row that the paper prints can be measured.
func TestPapersRowsAreMethods(t *testing.T) {
	p := testkit.Must(readPaper())
	for key := range p {
		for _, tab := range tables() {
			if tab.paper == key[0] && tab.methods != nil && pick(tab.methods, key[2]) == nil {
				t.Errorf("%s of %s has no method", key[2], tab.Name)
			}
		}
	}
}

func TestTablesSayWhatIsWrong(t *testing.T) {
	empty, broken := t.TempDir(), t.TempDir()
	labtest.Files(t, broken, map[string]string{"npz/cora.npz": "nothing"})
	on := func(args ...string) []string { return append([]string{"-data", empty}, args...) }
	clitest.Refuses(t, run, []clitest.Refusal{
		{Name: "no folder", Text: "-data"},
		{Name: "no folder of all", Args: []string{"-datasets", "all"}, Text: "-data"},
		{Name: "no folder for one of two", Args: []string{"-table", "homophily,kappa"}, Text: "-data"},
		{Name: "no such data set", Args: on("-datasets", "nowhere"), Text: "nowhere.npz"},
		{Name: "broken archive", Args: []string{"-data", broken, "-datasets", "cora"}, Text: "cora.npz", Is: coles.ErrFormat},
		{Name: "unknown table", Args: on("-table", "chairs"), Text: "classification"},
		{Name: "no splits", Args: on("-splits", "0"), Text: "-splits"},
		{Name: "no seeds", Args: on("-seeds", "0"), Text: "-seeds"},
		{Name: "unknown column", Args: on("-columns", "raw,norm"), Text: "norm"},
		{Name: "no columns", Args: on("-columns", ","), Text: "-columns"},
		{Name: "no data sets", Args: on("-datasets", " , "), Text: "-datasets"},
		{Name: "methods of a table that has one", Args: on("-table", "kappa", "-methods", "raw"), Text: "-methods"},
		{Name: "unknown method", Args: on("-table", "all", "-methods", "raw,guess"), Text: "guess"},
		{Name: "method of another table", Args: on("-methods", "k-means"), Text: "k-means"},
		{Name: "method that embeds nothing", Args: on("-table", "links", "-methods", "gcn-supervised"), Text: "gcn-supervised"},
		{Name: "stray argument", Args: on("cora"), Text: "cora"},
	})
}

// Every command of the help and of the pages can be given, and what is generated needs no folder.
func TestCommandsThatAreShown(t *testing.T) {
	text := strings.ReplaceAll(usage, "\n  tables ", "\ngo run ./tables ")
	for _, page := range testkit.Must(filepath.Glob("../docs/*.md")) {
		text += "\n" + string(testkit.Must(os.ReadFile(page)))
	}
	folder, shown := archives(t), 0
	for line := range strings.Lines(text) {
		command, ok := strings.CutPrefix(line, "go run ./tables ")
		if !ok {
			continue
		}
		shown++
		command, _, _ = strings.Cut(command, " #")
		var args []string
		for _, word := range regexp.MustCompile(`"[^"]*"|'[^']*'|\S+`).FindAllString(command, -1) {
			if word = strings.Trim(word, `"'`); word == "DIR" || word == "data" {
				word = folder
			}
			args = append(args, word)
		}
		if _, err := optionsOf(args, io.Discard); err != nil {
			t.Errorf("%s: %v", strings.TrimSpace(command), err)
		}
	}
	if least := 20; shown < least { // there were 24 when this was written
		t.Errorf("%d commands are shown, want at least %d", shown, least)
	}
	t.Chdir(t.TempDir())
	stdout, _ := clitest.Run(t, run, "-table", "large", "-nodes", "300", "-seeds", "1", "-epochs", "1", "-methods", "mlp")
	testkit.WantText(t, stdout, arxivSized, redditSized)
}

func TestAllLeavesOutWhatTakesLong(t *testing.T) {
	const closed = "classification, clustering, labelrate, links, inductive, theory, kappa"
	for list, want := range map[string]string{
		"all":              closed,
		"means, all,kappa": "means, " + closed,
		"homophily":        "homophily",
	} {
		testkit.WantSame(t, list, programs.Names(testkit.Must(findTables(list))), want)
	}
}

func TestEachTableMeasuresTheMethodsItHas(t *testing.T) {
	all := testkit.Must(findTables("all"))
	testkit.WantSame(t, "curves", programs.Names(labelRateTable().rows), "Raw, SGC, S2GC, PCA-S2GC, RP-S2GC, COLES-S2GC")
	testkit.WantSame(t, "all", programs.Names(testkit.Must(chooseMethods(all, "all"))[0].rows), programs.Names(allMethods()))
	chosen := testkit.Must(chooseMethods(all, "coles-gcn,raw"))
	for _, c := range chosen {
		want := "COLES-GCN, Raw"
		if c.Name == "clustering" { // calls its raw features k-means
			want = "COLES-GCN"
		}
		if c.methods != nil {
			testkit.WantSame(t, c.Name, programs.Names(c.rows), want)
		}
	}
}

func TestFileAppearsOnlyWhenAllIsMeasured(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cells.md")
	args := []string{"-data", testkit.Shared(t, "data"), "-datasets", "texas", "-methods", "raw", "-splits", "2", "-o", path}
	stdout, _ := clitest.Run(t, run, args...)
	first, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(first), "| | texas, 5 |") || stdout != "" {
		t.Errorf("the file is %q (%v), standard output %q", first, err, stdout)
	}
	args[3] = "texas,nowhere"
	clitest.Refuses(t, run, []clitest.Refusal{{Name: "one of two", Args: args, Text: "nowhere"}})
	if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, first) {
		t.Errorf("a run that failed left %q (%v)", again, err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("there is something else in the folder: %v (%v)", left, err)
	}
}

func TestTablesStopWhenInterrupted(t *testing.T) {
	clitest.Stops(t, run, "-data", testkit.Shared(t, "data"), "-datasets", "texas")
}

func TestUnseenNodesAreNeverLearnedFrom(t *testing.T) {
	p := testkit.Must(load(t.Context(), options{data: testkit.Shared(t, "data"), splits: 3}, "citeseer", cli.NewLine(&bytes.Buffer{})))
	seen, unseen := halves(p.Nodes())
	splits := testkit.Must(splitsAsking(p, unseen, 5, 3))
	for _, s := range splits {
		if len(s.Train) != 5*p.NumClasses() || len(s.Test) == 0 {
			t.Errorf("%d nodes to learn from, %d to ask about", len(s.Train), len(s.Test))
		}
		for part, c := range map[string]struct{ nodes, half []int }{"learned from": {s.Train, seen}, "asked about": {s.Test, unseen}} {
			for _, i := range c.nodes {
				if slices.Contains(p.Unlabeled, i) || !slices.Contains(c.half, i) {
					t.Errorf("node %d is %s", i, part)
				}
			}
		}
	}
}
