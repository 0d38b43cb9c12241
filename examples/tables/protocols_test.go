package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
)

// measured runs the command and returns its lines of JSON.
func measured(t *testing.T, args ...string) []map[string]any {
	t.Helper()
	args = append([]string{"-data", sharedData(t), "-json"}, args...)
	var stdout, stderr bytes.Buffer
	if err := run(context.Background(), args, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	var all []map[string]any
	for _, line := range strings.Split(strings.TrimSpace(stdout.String()), "\n") {
		var members map[string]any
		if err := json.Unmarshal([]byte(line), &members); err != nil {
			t.Fatal(err)
		}
		all = append(all, members)
	}
	return all
}

// Accuracy, NMI and F1 of both closed forms are those of the paper's clustering
// table at least, on every data set.
func TestClustersPassThePaper(t *testing.T) {
	if testing.Short() {
		t.Skip("takes many seconds")
	}
	lines := measured(t, "-table", "clustering", "-methods", "coles-sgc,coles-s2gc")
	if len(lines) != 6 {
		t.Fatalf("%d lines, want two methods on three data sets", len(lines))
	}
	for _, l := range lines {
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

// Unseen nodes lose a point at most where the graph is large enough for its half
// to be like the whole.
func TestUnseenNodesLoseAPointAtMost(t *testing.T) {
	if testing.Short() {
		t.Skip("takes many seconds")
	}
	accuracy := make(map[string]float64)
	for _, l := range measured(t, "-table", "inductive", "-datasets", "pubmed", "-splits", "10") {
		if l["method"] == "COLES-S2GC" && l["per_class"] == 20.0 {
			accuracy[l["protocol"].(string)] = l["mean"].(float64)
		}
	}
	if lost := accuracy["transductive"] - accuracy["inductive"]; lost > 1 || accuracy["inductive"] < 70 {
		t.Errorf("accuracies %v", accuracy)
	}
}

func TestUnseenNodesAreNeverLearnedFrom(t *testing.T) {
	p, err := load(context.Background(), options{data: sharedData(t), splits: 3}, "citeseer", newProgress(&bytes.Buffer{}, 1))
	if err != nil {
		t.Fatal(err)
	}
	_, unseen := halves(p.Nodes())
	splits, err := splitsAsking(p, unseen, 5, 3)
	if err != nil {
		t.Fatal(err)
	}
	kind := make([]string, p.Nodes())
	for _, i := range unseen {
		kind[i] = "unseen"
	}
	for _, i := range p.Unlabeled {
		kind[i] = "unlabelled"
	}
	for _, s := range splits {
		if len(s.Train) != 5*p.NumClasses() || len(s.Test) == 0 {
			t.Errorf("%d nodes to learn from, %d to ask about", len(s.Train), len(s.Test))
		}
		for _, i := range s.Train {
			if kind[i] != "" {
				t.Errorf("node %d is %s and learned from", i, kind[i])
			}
		}
		for _, i := range s.Test {
			if kind[i] != "unseen" {
				t.Errorf("node %d is asked about", i)
			}
		}
	}
}

// Features smoothed over the other edges predict better than raw ones. A small graph
// has fewer pairs than hits are counted at.
func TestLinksAreMeasuredOnEdgesHeldOut(t *testing.T) {
	found := make(map[string]map[string]any)
	for _, l := range measured(t, "-table", "links", "-datasets", "cora,texas", "-methods", "raw,s2gc", "-seeds", "2") {
		for _, key := range []string{"auc", "ap", "hits"} {
			if v := l[key].(float64); v <= 0 || v > 100 {
				t.Errorf("%v", l)
			}
		}
		found[l["dataset"].(string)+" "+l["method"].(string)] = l
	}
	if len(found) != 4 || found["cora S2GC"]["auc"].(float64) < found["cora Raw"]["auc"].(float64) {
		t.Errorf("smoothed features predict no better than raw ones: %v", found)
	}
	if found["cora S2GC"]["seeds"] != 2.0 {
		t.Errorf("two draws were asked for: %v", found["cora S2GC"])
	}
}
