package gnn

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// keptInput is the input of the files in testdata, see testdata/version1.go.
func keptInput() (*coles.Graph, *mat.Dense) {
	g := must(coles.NewGraph(7, []coles.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 0}, {U: 2, V: 3}, {U: 3, V: 4}, {U: 4, V: 5}, {U: 5, V: 3}}))
	return g, mat.NewDense(7, 4, []float64{
		1, 0, 0, 2,
		1, 0, 0, 0,
		1, 1, 0, 0,
		0, 1, 1, 0,
		0, 0, 1, 1,
		0, 0, 1, 0,
		0, 1, 0, 1,
	})
}

func kept(name string) []byte { return must(os.ReadFile(filepath.Join("testdata", "version1-"+name))) }

// keptMatrix is what came of a model of version 1.
func keptMatrix(t *testing.T, name string) *mat.Dense {
	t.Helper()
	var want []float64
	if err := json.Unmarshal(kept(name+".json"), &want); err != nil {
		t.Fatal(err)
	}
	return mat.NewDense(7, len(want)/7, want)
}

// Files that earlier versions of the format left are read, and embed what they did
// then, to the rounding of other vector instructions.
func TestOldFilesAreRead(t *testing.T) {
	g, x := keptInput()
	for _, name := range []string{"coles", "stiefel", "pairs", "linear"} {
		m := must(ReadModel(bytes.NewReader(kept(name + ".model"))))
		y := must(m.Embed(ctx, g, x))
		if d := maxDiff(y, keptMatrix(t, name)); !(d <= 1e-12) {
			t.Errorf("%s: the embedding is off by %.2g", name, d)
		}
		p := m.Provenance()
		if p.Format != 1 || p.Module != "" || p.Input != (coles.InputHash{}) || p.Settings.Epochs != 6 {
			t.Errorf("%s: provenance %+v, want that of version 1, which keeps none", name, p)
		}
		again := must(ReadModel(bytes.NewReader(fileOf(m))))
		if !reflect.DeepEqual(bits(must(again.Embed(ctx, g, x))), bits(y)) || again.Provenance().Format != 2 {
			t.Errorf("%s: written today it is another model, of version %d", name, again.Provenance().Format)
		}
	}
	k := must(ReadClassifier(bytes.NewReader(kept("classifier.model"))))
	if d := maxDiff(must(k.Scores(ctx, g, x)), keptMatrix(t, "classifier")); !(d <= 1e-12) {
		t.Errorf("the scores are off by %.2g", d)
	}
	if c := k.Classes(); !reflect.DeepEqual(c, []int{5, 8}) || k.Provenance().Format != 1 {
		t.Errorf("classes %v, provenance %+v", c, k.Provenance())
	}
	c := must(ReadCheckpoint(bytes.NewReader(kept("checkpoint.model"))))
	m := must(Resume(ctx, c, g, x))
	if d := maxDiff(m.Embedding(), keptMatrix(t, "coles")); c.Epoch() != 3 || !(d <= 1e-12) {
		t.Errorf("resumed after %d epochs the training is off by %.2g", c.Epoch(), d)
	}
	if p := m.Provenance(); p.Input != must(coles.HashInput(ctx, g, x)) || p.Format != 2 {
		t.Errorf("resumed it has the provenance %+v", p)
	}
}

func TestProvenanceIsKept(t *testing.T) {
	g, x := small(71)
	m := must(Train(ctx, g, x, smallOptions(WithSeed(9))...))
	p := m.Provenance()
	if p.Input != must(coles.HashInput(ctx, g, x)) || p.Settings.Seed != 9 || p.Module != coles.ModuleVersion() || p.Format != 2 {
		t.Errorf("provenance %+v", p)
	}
	read := must(ReadModel(bytes.NewReader(fileOf(m))))
	if got := read.Provenance(); !reflect.DeepEqual(got, p) {
		t.Errorf("the file keeps %+v, want %+v", got, p)
	}
	var back Provenance
	if err := json.Unmarshal(must(json.Marshal(p)), &back); err != nil || !reflect.DeepEqual(back, p) {
		t.Errorf("from JSON it is %+v, error %v", back, err)
	}
	again := must(Train(ctx, g, x, WithSettings(back.Settings)))
	if !reflect.DeepEqual(bits(again.Embedding()), bits(m.Embedding())) {
		t.Error("made again it is another model")
	}
	labels := make([]int, 40)
	labels[0], labels[2] = 1, 1
	k := must(TrainClassifier(ctx, g, x, labels, []int{0, 1}, []int{2, 3}, WithEpochs(1)))
	if p := k.Provenance(); p.Input != m.Provenance().Input || p.Format != 2 {
		t.Errorf("provenance of a classifier %+v", p)
	}
	for _, none := range []Provenance{(*Model)(nil).Provenance(), new(Model).Provenance(), (*Classifier)(nil).Provenance(), new(Classifier).Provenance()} {
		if none.Format != 0 {
			t.Errorf("no model has the provenance %+v", none)
		}
	}
}
