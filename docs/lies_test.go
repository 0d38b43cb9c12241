package docs

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"
)

// small is a project of a few files.
func small(t *testing.T, more map[string]string) *tree {
	t.Helper()
	files := map[string]string{
		"fit.go": `package coles

			import "gonum.org/v1/gonum/mat"

			type Option func()

			func Fit(x mat.Matrix, opts ...Option) *Model { return nil }

			func WithDim(dim int) Option { return nil }

			type Settings struct{ Dim int }

			type Model struct{ Settings }

			func (m *Model) Embed() {}

			var drawnEntries []float64`,
		"fit_test.go":                          "package coles\n\nfunc TestFit() {}\n\nfunc BenchmarkFit() {}",
		"cmd/coles/main.go":                    "package main\n\nimport \"coles\"\n\nvar names = []string{\"dim\", coles.Name}",
		"distributed/job.go":                   "package distributed\n\nimport _ \"coles/internal/kernel\"",
		"distributed/examples/cluster/main.go": "package main",
		"internal/kernel/gemm.go":              "package kernel",
		"docs/guide.md":                        "# Guide\n\n## New nodes\n\n## `Fit`, twice\n\n## New nodes\n",
	}
	maps.Copy(files, more)
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	tr, err := readTree(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestLiesAreFound plants one in a page or a comment. Where lie is empty, the text is true.
func TestLiesAreFound(t *testing.T) {
	for text, lie := range map[string]string{
		"[guide](docs/guide.md), [a part](docs/guide.md#new-nodes-1), [here](#coles), [there](https://go.dev/none)": "",
		"[guide](docs/guides.md)":          "there is no docs/guides.md",
		"[a part](docs/guide.md#newer)":    "docs/guide.md has no section #newer",
		"[a part](#newer)":                 "README.md has no section #newer",
		"[twice](docs/guide.md#fit-twice)": "",
		"![picture](docs/picture.png)":     "there is no docs/picture.png",
		"| [guide](guide.md) |":            "there is no guide.md",
		"[two\nlines](docs/guides.md)":     "there is no docs/guides.md",
		"`internal/kernel`, `cmd/coles/`, `coles/distributed`, `docs/*.md`, `DIR/none`, `gonum.org/v1/plot`, `fit.go` and fit_test.go": "",
		"`internal/colonel`":             "there is no internal/colonel",
		"`coles/distribute`":             "there is no distribute",
		"`docs/*.txt`":                   "there is no docs/*.txt",
		"`fitter.go`":                    "there is no fitter.go",
		"fitter.go has it":               "there is no fitter.go",
		"`gemm.go` of `internal/kernel`": "",
		"`job.go` of `internal/kernel`":  "there is no job.go",
		"`Fit`, `coles.Fit`, `Fit(x, 2)`, `mat.NewDense`, `WithDim(8)`, `DIR`, `COLES_KERNEL`, `ΔW`": "",
		"`TestFit` and `BenchmarkFit`, `Model.Embed`, `coles.Model.Dim`":                             "",
		"`Fitting`":                        "nothing declares Fitting",
		"`coles.Fitting`":                  "package coles has no Fitting",
		"`distributed.Fit`":                "package distributed has no Fit",
		"`distributed.SGC(2)`":             "package distributed has no SGC",
		"`go doc coles/none Fit`":          "there is no none",
		"`go doc coles/distributed.Fit`":   "package distributed has no Fit",
		"`Settings.Embed`":                 "nothing declares Settings.Embed",
		"`coles.Settings.Embed`":           "package coles has no Settings.Embed",
		"`m.Embed(x)`, `x.Dims` of others": "nothing declares Dims",
		"`WithDimension(8)`":               "nothing declares WithDimension",
		"`Settings{Dim: 2, Depth: 3}`":     "nothing declares Depth",
		"`drawnEntries` of `fit.go`":       "",
		"`drawn` of `fit.go`":              "fit.go does not declare drawn",
		"`drawnEdges`":                     "nothing declares drawnEdges",
		"`TestFits`":                       "nothing declares TestFits",
		"`FuzzFit`":                        "nothing declares FuzzFit",
		"`go test ./internals/...`":        "there is no internals",
		"`go test -bench 'Fit|Embed' .`":   "no test is called Embed",
		"`go test -run '^$' -bench Fit .`, `go test ./internal/...`, `go run ./cmd/coles -dim 2`": "",
		"`go doc coles.Fitting`":                                                          "package coles has no Fitting",
		"`go run ./cmd/coles -dims 2`":                                                    "no program has the option -dims",
		"`-dim` and `-dims`":                                                              "no program has the option -dims",
		"`coles fit -dims 2`":                                                             "no program has the option -dims",
		"| there | here |\n|---|---|\n| `Fitting` | `Fit` |":                              "",
		"| there | here |\n|---|---|\n| `Fit` | `Fitting` |":                              "nothing declares Fitting",
		"```sh\ngo run ./cmd/coles -dim 2 # no -dims\n```":                                "",
		"```sh\ngo run ./examples/cluster\n```":                                           "there is no examples/cluster",
		"In the folder `distributed`,\n\n```sh\ngo run ./examples/cluster\n```":           "",
		"In the folder `distribute`,":                                                     "there is no distribute",
		"In the folder `distributed`,\n\n# Next\n\n```sh\ngo run ./examples/cluster\n```": "there is no examples/cluster",
		"```sh\ngo run ./cmd/coles \\\n  -dims 2\n```":                                    "no program has the option -dims",
		"```sh\ncp docs/guides.md /tmp\n```":                                              "there is no docs/guides.md",
		"```go\nm := coles.Fit(mat.NewDense(x), \"Fitting\").Embed() // Fitting\n```":     "",
		"```go\nm, err := coles.Fit(x, coles.WithDims(2))\n```":                           "package coles has no WithDims",
		"```go\nm.Embedding()\n```":                                                       "nothing declares Embedding",
		"```mermaid\na --> b[\"fitter.go\"]\n```":                                         "there is no fitter.go",
		"```text\nFitting of ./nothing\n```":                                              "",
	} {
		tr := small(t, map[string]string{"README.md": "# coles\n\n" + text + "\n"})
		compare(t, text, tr.lies(), lie)
	}
	for comment, lie := range map[string]string{
		"See [Fit], [Model.Embed], [coles.Fit] and x[i], [n].": "",
		"See [Fitting].":       "[Fitting] is no link",
		"See [coles.Fitting].": "[coles.Fitting] is no link",
		"See [Model.Fit].":     "[Model.Fit] is no link",
		"See [mat.Dense].":     "",
	} {
		tr := small(t, map[string]string{"doc.go": "// Package coles embeds. " + comment + "\npackage coles"})
		compare(t, comment, tr.lies(), lie)
	}
}

// compare wants one lie that ends so, or none.
func compare(t *testing.T, text string, got []string, want string) {
	t.Helper()
	if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || !strings.HasSuffix(got[0], ": "+want)) {
		t.Errorf("%s\ngives %q, want %q", text, got, want)
	}
}

// TestArchitectureIsWatched plants what is wrong in the tables of the page.
func TestArchitectureIsWatched(t *testing.T) {
	const page = `| file | what |
|---|---|
| fit.go | all |

| where | what | imports |
|---|---|---|
| ` + "`coles`" + ` | all | |
| ` + "`distributed`" + ` | more | ` + "`internal`" + ` |
| ` + "`cmd/coles`" + ` | the command | ` + "`coles`" + ` |

| where | what | imports |
|---|---|---|
| ` + "`kernel`" + ` | products | |
`
	for change, want := range map[[2]string]string{
		{"", ""}:                      "",
		{"fit.go", "fit.go, more.go"}: "the table has fit.go more.go, the root fit.go",
		{"| fit.go", "| "}:            "the table has , the root fit.go",
		{"| `internal`", "| `coles`"}: "distributed imports internal, not coles",
		{"| `cmd/coles` | the command | `coles` |", ""}: "cmd/coles is not there",
		{"`kernel`", "`colonel`"}:                       "internal/kernel is not there",
	} {
		tr := small(t, nil)
		compare(t, change[1], tr.architecture(strings.Replace(page, change[0], change[1], 1)), want)
	}
}
