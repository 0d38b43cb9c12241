package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coles/internal/testkit"
)

// call runs the program in the test's process.
func call(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(context.Background(), args, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

// must is the standard output of a run that has to succeed and be silent on standard error.
func must(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	code, stdout, stderr := call(stdin, args...)
	for line := range strings.Lines(stderr) { // of graphs as small as a test's, and of matrices, these are to be expected
		if code != 0 || !strings.Contains(line, "holds no ids") && !strings.Contains(line, "whose vectors are zero") {
			t.Fatalf("coles %s: exit %d, standard error %q", strings.Join(args, " "), code, stderr)
		}
	}
	if code != 0 {
		t.Fatalf("coles %s: exit %d", strings.Join(args, " "), code)
	}
	return stdout
}

// prints checks what such a run prints.
func prints(t *testing.T, want, stdin string, args ...string) {
	t.Helper()
	testkit.WantSame(t, "coles "+strings.Join(args, " "), must(t, stdin, args...), want)
}

// decoded is the JSON that a run prints.
func decoded[T any](t *testing.T, stdin string, args ...string) (v T) {
	t.Helper()
	testkit.Check(t, json.Unmarshal([]byte(must(t, stdin, args...)), &v))
	return v
}

// folder writes files and returns their folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	return dir
}

// write writes a text to a file and returns its path.
func write(t *testing.T, path, text string) string {
	t.Helper()
	testkit.Check(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// The graph of most tests: a triangle with a tail.
const (
	edgesText    = "ann\tbob\nbob\tcy\ncy\tann\ncy\tdan\n"
	featuresText = "ann,1,0,0\nbob,0,1,0\ncy,0,1,1\ndan,1,1,0\n"
	labelsText   = "ann x\nbob x\ncy y\ndan y\n"
)

func small(t *testing.T) (dir, edges, features string) {
	dir = folder(t, map[string]string{"edges.tsv": edgesText, "features.csv": featuresText, "labels.txt": labelsText})
	return dir, filepath.Join(dir, "edges.tsv"), filepath.Join(dir, "features.csv")
}

func TestHelpOnEveryLevelHasExamples(t *testing.T) {
	for _, command := range []string{"", "embed", "train", "eval", "predict", "cluster", "links", "similar", "plot", "info", "convert"} {
		args := append(strings.Fields(command), "-h")
		out := must(t, "", args...)
		if n := strings.Count(out, "\n      coles ") + strings.Count(out, "| coles "); n < 2 || n > 5 || !strings.Contains(out, "Examples:") {
			t.Errorf("coles %s: %d examples, want 2 or 3:\n%s", strings.Join(args, " "), n, out)
		}
		if command != "" {
			testkit.WantText(t, out, "OPTIONS:")
		}
	}
}

func TestShellCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "pwsh"} {
		testkit.WantText(t, must(t, "", "completion", shell), "generate-shell-completion")
	}
}

// Every case is exit code 2, one line on standard error that names the fault, and nothing written.
func TestUsageErrors(t *testing.T) {
	dir, edges, features := small(t)
	out := filepath.Join(dir, "out.tsv")
	link := filepath.Join(dir, "link")
	testkit.Check(t, os.Symlink("out.tsv", link))
	for name, c := range map[string]struct {
		args string
		text string
	}{
		"no command":               {"", "which command"},
		"unknown command":          {"embde", `"embde"`},
		"unknown option":           {"embed -depth 4", "depth"},
		"option without value":     {"embed " + edges + " -o", "-o"},
		"stray argument":           {"embed " + edges + " more", `"more"`},
		"number that is none":      {"embed -dim many " + edges, `coles: -dim "many": want a whole number (`},
		"broken number":            {"embed -kappa 1.5 " + edges, `-kappa "1.5": want a whole number (`},
		"number beyond all":        {"embed -dim 9223372036854775808 " + edges, `-dim "9223372036854775808": out of range (`},
		"number of a word":         {"embed -eta half " + edges, `-eta "half": want a number (`},
		"d′ = 0":                   {"embed -dim 0 " + edges, "-dim 0"},
		"d′ of 2⁶³ − 1":            {"embed -dim 9223372036854775807 " + edges, "-dim 9223372036854775807"},
		"negative seed":            {"embed -seed -1 " + edges, `-seed "-1": want a whole number from 0 on (`},
		"η′ > 1":                   {"embed -eta 2 " + edges, "coles: -eta 2: want 0 to 1 ("},
		"η′ = NaN":                 {"embed -eta NaN " + edges, "coles: -eta NaN: "},
		"κ < 0":                    {"embed -kappa -1 " + edges, "coles: -kappa -1: want 0 to 10000 ("},
		"unknown purpose":          {"embed -for fun " + edges, "coles: -for fun: want classification, clustering, links"},
		"no purpose":               {"cluster -for= " + edges, "-for"},
		"unknown kind of model":    {"eval -kind node " + edges, "coles: -kind node: want auto, graph, features"},
		"unknown preparation":      {"embed -preparation damped " + edges, "coles: -preparation damped: want auto, "},
		"all energy to degrees":    {"embed -degree-share 1 " + edges, "-degree-share 1: want 0 or more and less than 1"},
		"degree share of a word":   {"embed -degree-share some " + edges, "-degree-share"},
		"unknown precision":        {"embed -precision half " + edges, "half"},
		"unknown filter":           {"embed -filter median:3 " + edges, "median"},
		"filter without numbers":   {"embed -filter sgc " + edges, "-filter sgc: want one more number"},
		"unknown negatives":        {"embed -negatives most:3 " + edges, "most"},
		"nothing drawn to exclude": {"embed -negatives none,exclude-edges " + edges, "none"},
		"unknown input format":     {"embed -from gml " + edges, "gml"},
		"vectors for a graph":      {"embed -from npy " + edges, "npy"},
		"vectors named as graph":   {"embed " + out + ".bin", "does not hold a graph"},
		"unknown output format":    {"embed " + edges + " -to xls", "xls"},
		"unknown extension":        {"embed " + edges + " -o " + out + ".xls", ".xls"},
		"no format of embeddings":  {"embed " + edges + " -o " + out + ".mtx", "embedding"},
		"no embedding as a matrix": {"embed " + edges + " -to matrixmarket", "matrixmarket"},
		"a header of which kind":   {"embed -header maybe " + edges, "-header maybe"},
		"output upon the graph":    {"embed " + edges + " -o " + edges, "-o " + edges},
		"output upon the features": {"embed " + edges + " -features " + features + " -to tsv -o " + dir + "/./features.csv", "that is read"},
		"model upon the graph":     {"embed " + edges + " -model " + edges, "-model"},
		"model upon a link":        {"embed " + edges + " -to tsv -o " + link + " -model " + out, "same file"},
		"converted upon itself":    {"convert " + edges + " -from edges " + edges + " -to npz", "that is read"},
		"compressed what":          {"embed " + edges + " -o " + dir + "/out.gz", "does not tell a format"},
		"empty file name":          {"embed " + edges + " -o=", "empty file name"},
		"JSON and vectors":         {"embed -json " + edges, "-json"},
		"model and vectors":        {"embed -model - " + edges, "-model -"},
		"model upon vectors":       {"embed -o " + out + " -model " + out + " " + edges, "same file"},
		"fit and no fit":           {"embed -with m -kappa 2 " + edges, "-kappa"},
		"purpose and model":        {"embed -with m -for links " + edges, "-for changes a fit"},
		"kind and model":           {"embed -with m -kind graph " + edges, "-kind changes a fit"},
		"preparation and model":    {"eval -with m -preparation none " + edges, "-preparation changes a fit"},
		"degree share and model":   {"cluster -with m -degree-share 0 " + edges, "-degree-share changes a fit"},
		"purpose and vectors":      {"cluster -for links -embedding " + features, "-for cannot be used with -embedding"},
		"kind and vectors":         {"eval -kind auto -embedding " + features, "-kind cannot be used with -embedding"},
		"preparation and vectors":  {"predict -preparation auto -embedding " + features, "-preparation cannot be used with -embedding"},
		"degree share and vectors": {"plot -o " + out + ".png -degree-share 0 -embedding " + features, "-degree-share cannot be used with -embedding"},
		"new nodes, no model":      {"embed " + edges + " -features " + features + " -new-features " + features, "-with MODEL"},
		"new edges alone":          {"embed -new-edges " + edges + " " + edges, "-new-features FILE"},
		"output upon new edges":    {"embed -with m -new-features m -new-edges " + edges + " " + out + " -to tsv -o " + edges, "that is read"},
		"new nodes in a graph":     {"embed -with m -new-features m " + edges + " -o " + out + ".npz", "holds a graph"},
		"two models":               {"embed -with m -model n " + edges, "-model"},
		"standard input twice":     {"embed - -features -", "once"},
		"planetoid from a pipe":    {"embed -from planetoid -", "planetoid"},
		"similar to nothing":       {"similar -embedding " + features, "ID"},
		"similar to both":          {"similar -queries " + features + " ann", "-queries"},
		"no neighbours":            {"similar -k 0 ann", "-k 0"},
		"unknown similarity":       {"similar -by sine ann", "sine"},
		"convert nothing":          {"convert " + edges, "IN and OUT"},
		"convert a graph":          {"convert -from edges -to npy " + edges + " " + out, "neither becomes"},
		"convert what":             {"convert -to npy " + edges + " - -labels x", "go with a graph"},
		"convert compressed":       {"convert -from edges " + edges + " " + dir + "/out.gz", "does not tell"},
		"convert to what":          {"convert " + edges + " " + out + ".xls", "-to"},
		"convert to planetoid":     {"convert -to planetoid " + edges + " " + out, "planetoid"},
		"no splits":                {"eval -count 0 " + edges, "-count 0"},
		"no training":              {"eval -per-class 0 " + edges, "-per-class 0"},
		"splits and draws":         {"eval -splits s.json -count 3 " + edges, "-splits"},
		"embedding and fit":        {"eval -embedding " + features + " -dim 3", "-dim"},
		"prediction and fit":       {"predict -embedding " + features + " -dim 3", "-dim"},
		"prediction and model":     {"predict -with m -kappa 3 " + edges, "-kappa"},
		"learnt and kept":          {"predict -use c -classifier d " + edges, "-classifier"},
		"classifier and lines":     {"predict -classifier - " + edges, "-classifier -"},
		"classifier upon lines":    {"predict -o " + out + " -classifier " + out + " " + edges, "same file"},
		"model upon a classifier":  {"predict -model " + out + " -classifier " + out + " " + edges, "same file"},
		"model and a model":        {"predict -model m -with c " + edges, "-model keeps a model that is fitted"},
		"lines upon the vectors":   {"predict -embedding " + features + " -o " + features, "that is read"},
		"lines upon a classifier":  {"predict -use " + features + " -o " + features + " " + edges, "that is read"},
		"classifier upon labels":   {"predict -labels " + features + " -classifier " + features + " " + edges, "that is read"},
		"compressed picture":       {"plot -o " + out + ".svg.gz " + edges, ".svg.gz: want"},
		"no clusters":              {"cluster -k 0 " + edges, "-k 0"},
		"clusters and fit":         {"cluster -k 2 -embedding " + features + " -filter sgc:2", "-filter"},
		"plot where":               {"plot " + edges, "-o"},
		"plot of no format":        {"plot -o " + out + ".gif " + edges, ".gif"},
		"plot to standard output":  {"plot -o - " + edges, "-o -"},
		"plot by magic":            {"plot -by magic -o " + out + ".png " + edges, "-by magic"},
		"plot no clusters":         {"plot -k 0 -o " + out + ".png " + edges, "-k 0"},
		"help with nothing":        {"help embd", `"embd": did you mean embed?`},
		"version of what":          {"version 3", `"3"`},
		"completion of what":       {"completion tcsh", `"tcsh": want bash, zsh, fish or pwsh`},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, dir, exitUsage, c.text, "", strings.Fields(c.args)...)
		})
	}
}

// refused runs the program, checks its error and returns it.
func refused(t *testing.T, dir string, want int, text, stdin string, args ...string) string {
	t.Helper()
	code, stdout, stderr := call(stdin, args...)
	checkError(t, dir, code, want, stdout, stderr, text)
	return stderr
}

// checkError checks the code, one line with a text, and that nothing is written.
func checkError(t *testing.T, dir string, code, want int, stdout, stderr, text string) {
	t.Helper()
	testkit.WantSame(t, "exit code", code, want)
	if !strings.HasPrefix(stderr, "coles: ") || strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "\n") {
		t.Errorf("standard error is not one line that begins with the program's name: %q", stderr)
	}
	testkit.WantText(t, stderr, text)
	testkit.WantSame(t, "standard output", stdout, "")
	for _, e := range testkit.Must(os.ReadDir(dir)) {
		if strings.HasPrefix(e.Name(), "out") || strings.Contains(e.Name(), "partial") {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

// A shell variable that is not set is no name of a file.
func TestEmptyArgument(t *testing.T) {
	for _, args := range [][]string{{"embed", ""}, {"info", ""}, {"convert", "", "x.npz"}} {
		refused(t, t.TempDir(), exitUsage, "empty file name", edgesText, args...)
	}
}

func TestVersion(t *testing.T) {
	if out := must(t, "", "-version"); !strings.HasPrefix(out, "coles version ") || must(t, "", "version") != out {
		t.Errorf("version: %q", out)
	}
}

func TestHelp(t *testing.T) {
	for _, sub := range root(streams{}).Commands {
		if sub.Name == "help" || sub.Name == "version" || sub.Name == "completion" {
			continue
		}
		short, whole := must(t, "", sub.Name, "-h"), must(t, "", "help", sub.Name)
		if n := strings.Count(short, "\n"); n > 45 {
			t.Errorf("coles %s -h prints %d lines", sub.Name, n)
		}
		_, listed, _ := strings.Cut(short, "OPTIONS:")
		if n := strings.Count(listed, "\n   -"); len(sub.Flags) > 11 && n != 10 {
			t.Errorf("coles %s -h lists %d options, want ten", sub.Name, n)
		}
		for _, f := range sub.Flags {
			if testkit.WantText(t, whole, "-"+f.Names()[0]); groupOf(f) < 0 {
				t.Errorf("coles %s: -%s is in no group", sub.Name, f.Names()[0])
			}
		}
	}
	if n := strings.Count(must(t, "", "-h"), "\n"); n > 45 {
		t.Errorf("coles -h prints %d lines", n)
	}
	testkit.WantText(t, must(t, "", "help"), "word2vec-binary", "COMMANDS:")
}

// Errors name the option that sets what the library has a symbol for. The small graph has four nodes.
func TestErrorsNameOptions(t *testing.T) {
	_, edges, features := small(t)
	for args, want := range map[string]string{
		"embed -features " + features:        "-dim 128: want at most 3, the number of features",
		"cluster -k 2 -features " + features: "-dim 128: want at most 3, the number of features",
		"embed":                              "-dim 128: want at most 4, the number of nodes",
		"info":                               "-dim 128: want at most 4",
	} {
		code, _, stderr := call("", strings.Fields(args+" -dim 128 "+edges)...)
		if code != exitFailure || stderr != "coles: "+want+"\n" {
			t.Errorf("coles %s: exit %d, %q, want %q", args, code, stderr, want)
		}
	}
}
