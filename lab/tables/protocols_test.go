package main

import (
	"math"
	"testing"

	"coles/internal/testkit"
	"coles/lab/internal/labtest"
)

// The varied value stands under its own name, and each table has the rows and the numbers of labels
// that it promises.
func TestAblationsNameWhatTheyVary(t *testing.T) {
	for _, c := range []struct {
		table, dataset, key string
		values, labels      int
	}{
		{"kappa", "texas", "kappa", 4, 2},
		{"labelrate", "texas", "per_class", 6, 1}, // with one method
	} {
		t.Run(c.table+" of "+c.dataset, func(t *testing.T) {
			args := []string{"-datasets", c.dataset, "-table", c.table, "-splits", "2"}
			if c.table == "labelrate" {
				args = append(args, "-methods", "coles-s2gc")
			}
			values, lines := make(map[any]int), measured(t, c.values*c.labels, args...)
			for _, l := range lines {
				if mean, ok := l["mean"].(float64); !ok || mean <= 0 || mean > 100 || l["table"] != c.table || l[c.key] == nil {
					t.Errorf("%v", l)
				}
				values[l[c.key]]++
			}
			testkit.WantSame(t, "number of values", len(values), c.values)
		})
	}
}

// Accuracy, NMI and F1 of both closed forms reach the paper's clustering table on every data set.
func TestClustersPassThePaper(t *testing.T) {
	testkit.Long(t)
	for _, l := range measured(t, 2, "-table", "clustering", "-methods", "coles-sgc,coles-s2gc", "-datasets", "cora") {
		for _, key := range []string{"acc", "nmi", "f1"} {
			ours, paper := l[key].(float64), l[key+"_paper"].(float64)
			if ours < paper || ours > 100 {
				t.Errorf("%s on %s: %s is %.2f, the paper has %.2f", l["method"], l["dataset"], key, ours, paper)
			}
		}
		if l["method"] == "COLES-SGC" && l["hops"] == nil {
			t.Errorf("%s does not say how many hops were chosen", l["dataset"])
		}
	}
}

// A random projection of the filtered features is within a deviation over the splits of the paper's row
// RP-S²GC; with entries of variance 1/512 it would score 68.5 and 79.9.
func TestRandomProjectionIsThePapers(t *testing.T) {
	testkit.Long(t)
	for _, l := range measured(t, 2, "-methods", "rp-s2gc", "-datasets", "cora") {
		paper := map[float64]float64{5: 65.9, 20: 78.1}[l["per_class"].(float64)]
		if mean, std := l["mean"].(float64), l["std"].(float64); math.Abs(mean-paper) > std {
			t.Errorf("%v per class: %v ± %v, the paper has %v", l["per_class"], mean, std, paper)
		}
	}
}

// Unseen nodes lose a point at most where the graph is large enough for its half to be like the
// whole.
func TestUnseenNodesLoseAPointAtMost(t *testing.T) {
	testkit.Long(t)
	accuracy := make(map[string]float64)
	for _, l := range measured(t, 8, "-table", "inductive", "-datasets", "pubmed", "-splits", "10") {
		if l["method"] == "COLES-S2GC" && l["per_class"] == 20.0 {
			accuracy[l["protocol"].(string)] = l["mean"].(float64)
		}
	}
	if lost := accuracy["transductive"] - accuracy["inductive"]; lost > 1 || accuracy["inductive"] < 70 {
		t.Errorf("accuracies %v", accuracy)
	}
}

// Features smoothed over the other edges predict better than raw ones, and COLES for links no worse
// than these: by 0.3 points of area and 1.5 of hits at most. A small graph has fewer pairs than hits
// are counted at.
func TestLinksAreMeasuredOnEdgesHeldOut(t *testing.T) {
	datasets, lines := "texas", 3
	if labtest.Long() {
		datasets, lines = "texas,cora", 6
	}
	found := make(map[string]map[string]any)
	for _, l := range measured(t, lines, "-table", "links", "-datasets", datasets, "-methods", "raw,s2gc,coles for links", "-seeds", "2") {
		for _, key := range []string{"auc", "ap", "hits"} {
			if v := l[key].(float64); v <= 0 || v > 100 || l["seeds"] != 2.0 {
				t.Errorf("%v", l)
			}
		}
		found[l["dataset"].(string)+" "+l["method"].(string)] = l
	}
	testkit.WantSame(t, "number of methods and data sets", len(found), lines)
	if !labtest.Long() {
		return
	}
	if found["cora S2GC"]["auc"].(float64) < found["cora Raw"]["auc"].(float64) {
		t.Errorf("smoothed features predict no better than raw ones: %v", found)
	}
	for key, less := range map[string]float64{"auc": 0.3, "ap": 0.3, "hits": 1.5} {
		if ours, smoothed := found["cora COLES for links"][key].(float64), found["cora S2GC"][key].(float64); ours < smoothed-less {
			t.Errorf("%s: %v for links, %v of smoothed features", key, ours, smoothed)
		}
	}
}

// A network is trained once for every seed, on labels once for every seed and split.
func TestNetworksAreMeasuredForEverySeed(t *testing.T) {
	lines := measured(t, 3*2, "-datasets", "texas", "-methods", "coles-gcn,gcn-supervised,raw", "-splits", "1", "-seeds", "2")
	for i, want := range []float64{2, 2, 2, 2, 1, 1} {
		if mean := lines[i]["mean"].(float64); lines[i]["seeds"] != want || mean <= 0 || mean > 100 {
			t.Errorf("%v, want %v seeds", lines[i], want)
		}
	}
}

// The figures of theory for any embedding: the distance of two samples is no less than the distance of
// their means, and no entry of a row of length 1 is above 1. On Cora COLES contrasts better than raw features.
func TestTheoryHolds(t *testing.T) {
	figures := make(map[string]map[string]float64)
	for _, l := range measured(t, 2, "-table", "theory", "-datasets", "cora", "-methods", "raw,coles-s2gc") {
		of := make(map[string]float64)
		for key, v := range l {
			of[key], _ = v.(float64)
		}
		figures[l["method"].(string)] = of
		if gap := of["alignment"] - of["uniformity"]; gap <= 0 || of["w1"] < gap-2e-3 || of["lipschitz"] > 1 || of["lipschitz"] <= 0 { // to three digits
			t.Errorf("%v", l)
		}
	}
	if ours, raw := figures["COLES-S2GC"], figures["Raw"]; ours["blocks"] >= raw["blocks"] || ours["nearer"] <= raw["nearer"] || ours["w1"] <= raw["w1"] {
		t.Errorf("%v against %v", ours, raw)
	}
}
