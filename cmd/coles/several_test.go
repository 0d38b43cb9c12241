package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"coles/internal/testkit"
)

// Labels of two classes each, in lines, bars and JSON lists, are predicted alike, and by a kept classifier, too.
func TestPredictSeveral(t *testing.T) {
	d, path := community(t)
	n := d.Nodes()
	var lines, bars, lists strings.Builder
	for i := range n {
		if class := d.Labels[i]; i%2 == 0 {
			fmt.Fprintf(&lines, "%d,c%d\n%d,even%d\n", i, class, i, class%2)
			fmt.Fprintf(&bars, "%d,c%d|even%d\n", i, class, class%2)
			fmt.Fprintf(&lists, "%d,\"[\"\"c%d\"\",\"\"even%d\"\"]\"\n", i, class, class%2)
		}
	}
	dir := folder(t, map[string]string{"lines.csv": lines.String(), "bars.csv": bars.String(), "lists.csv": lists.String()})
	want := ""
	for _, name := range []string{"lines.csv", "bars.csv", "lists.csv"} {
		code, out, said := call("", "predict", path, "-dim", "8", "-kind", "auto", "-labels", filepath.Join(dir, name), "-json")
		if code != 0 {
			t.Fatal(said)
		}
		testkit.WantText(t, said, "nodes have several labels", "micro-F1", "where it is known how many")
		if want == "" {
			want = out
		}
		testkit.WantSame(t, name, out, want)
	}
	var found severals
	testkit.Check(t, json.Unmarshal([]byte(want), &found))
	right := 0
	for _, p := range found.Predictions {
		i := 0
		fmt.Sscan(p.ID, &i)
		names := ""
		for _, c := range p.Classes {
			names += c.Class + " "
		}
		if names == fmt.Sprintf("c%d even%d ", d.Labels[i], d.Labels[i]%2) {
			right++
		}
	}
	if right < len(found.Predictions)/2 || found.Found.Micro < 0.5 {
		t.Errorf("%d of %d sets are right, %+v", right, len(found.Predictions), found.Found)
	}

	model, kept := filepath.Join(dir, "m.model"), filepath.Join(dir, "k.classifier")
	_, out, _ := call("", "predict", path, "-dim", "8", "-kind", "auto", "-labels", filepath.Join(dir, "bars.csv"), "-model", model, "-classifier", kept, "-probabilities")
	_, again, said := call("", "predict", path, "-with", model, "-labels", filepath.Join(dir, "lists.csv"), "-use", kept, "-probabilities")
	testkit.WantSame(t, "by the kept classifier", again, out)
	testkit.WantText(t, said, "-use learns nothing")
	_, about, _ := call("", "info", kept)
	testkit.WantText(t, about, "several classes a node", `"even1"`)
	_, about, _ = call("", "info", path, "-labels", filepath.Join(dir, "bars.csv"))
	testkit.WantText(t, about, "2 each")
	_, about, said = call("", "eval", path, "-dim", "8", "-kind", "auto", "-labels", filepath.Join(dir, "bars.csv"), "-count", "3")
	testkit.WantText(t, about, "10 % known", "50 % known", "micro-F1")
	testkit.WantText(t, said, "-runs 0 leaves them out")
	_, out, said = call("", "predict", path, "-with", model, "-labels", filepath.Join(dir, "lists.csv"), "-use", kept, "-sure", "1")
	testkit.WantText(t, out, "\tnone\t\n")
	testkit.WantText(t, said, "answers are none")
	refused(t, dir, exitUsage, "is for nodes of one class", "", "predict", path, "-labels", filepath.Join(dir, "bars.csv"), "-kind", "auto", "-balanced")
}

// Answers below -sure are none, and rare classes are named.
func TestPredictUnsureAndRare(t *testing.T) {
	d, path := community(t)
	labels := "1,rare\n"
	for i := 0; i < d.Nodes(); i += 2 {
		labels += fmt.Sprintf("%d,c%d\n", i, d.Labels[i])
	}
	dir := folder(t, map[string]string{"labels.csv": labels, "none.csv": labels + "3,none\n"})
	code, out, said := call("", "predict", path, "-dim", "8", "-kind", "auto", "-labels", filepath.Join(dir, "labels.csv"), "-sure", "0.9", "-json")
	if code != 0 {
		t.Fatal(said)
	}
	testkit.WantText(t, said, `hardly ever predicted: "rare"`, "answers are none: no class has a probability of 0.9")
	var found predictions
	testkit.Check(t, json.Unmarshal([]byte(out), &found))
	for _, p := range found.Predictions {
		if (p.Class == none) != (p.Probability < 0.9) {
			t.Errorf("%+v", p)
		}
	}
	if code, _, said := call("", "predict", path, "-labels", filepath.Join(dir, "none.csv"), "-missing-marks", "NA", "-sure", "0.5"); code != exitUsage || !strings.Contains(said, "a class has that name") {
		t.Errorf("a class called none: exit code %d, %s", code, said)
	}
	refused(t, dir, exitUsage, "want 0 to 1", "", "predict", path, "-labels", filepath.Join(dir, "labels.csv"), "-sure", "2")
}

// A classifier of numbers is kept, and says what it is.
func TestPredictNumbersByAKeptClassifier(t *testing.T) {
	d, path := community(t)
	labels := ""
	for i := 0; i < d.Nodes(); i += 2 {
		labels += fmt.Sprintf("%d,%d.5\n", i, 10*d.Labels[i]+i%3)
	}
	dir := folder(t, map[string]string{"labels.csv": labels, "words.csv": "0,red\n2,blue\n"})
	of := func(name string) string { return filepath.Join(dir, name) }
	_, out, _ := call("", "predict", path, "-dim", "8", "-kind", "auto", "-labels", of("labels.csv"), "-model", of("m.model"), "-classifier", of("k.classifier"))
	_, again, said := call("", "predict", path, "-with", of("m.model"), "-labels", of("labels.csv"), "-use", of("k.classifier"))
	testkit.WantSame(t, "by the kept classifier", again, out)
	testkit.WantText(t, said, "-use learns nothing")
	_, about, _ := call("", "info", of("k.classifier"))
	testkit.WantText(t, about, "numbers")
	_, about, _ = call("", "info", path, "-labels", of("labels.csv"))
	testkit.WantText(t, about, "numbers from 0.5 to", "assortativity")
	refused(t, dir, exitFailure, "predicts numbers", "", "predict", path, "-with", of("m.model"), "-labels", of("words.csv"), "-use", of("k.classifier"))
	_, about, _ = call("", "eval", path, "-dim", "8", "-kind", "auto", "-labels", of("labels.csv"), "-count", "3", "-runs", "0")
	testkit.WantText(t, about, "25 % known", "R²", "mean absolute error")
	refused(t, dir, exitUsage, "is for one class a node", "", "eval", path, "-kind", "graph", "-labels", of("labels.csv"), "-per-class", "5", "-runs", "0")
	svg := plotted(t, "svg", path, "-dim", "8", "-by", "pca", "-labels", of("labels.csv"))
	testkit.WantText(t, svg, "22.5")
}
