package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"coles/internal/testkit"
	"coles/internal/testkit/promise"
)

// Wherever the context of a command ends, it says that it was interrupted, and leaves no part of a file.
func TestEveryCommandEndsAnywhere(t *testing.T) {
	files := map[string]string{"splits.json": `{"train": [[0, 1, 2, 3]], "val": [[4]], "test": [[5, 6, 7, 8]]}`, "pairs.csv": "a0,a3\na1,b4\n",
		"new.csv": "id,f,g,h\nn1,1,0,2\nn2,0,1,1\n", "joins.csv": "n1,a0\nn1,a1\nn2,b0\n", "among.txt": "a2\na3\nb0\n", "ids.txt": "", "names.csv": "a0,Ann\nb0,Bo\n",
		"typed.csv": "source,target,type\np1,k1,on\np1,k2,on\np2,k1,on\np1,t1,by\np2,t1,by\np2,t2,by\n"}
	for k := range 12 { // two rings of chords, of which half have a label
		for _, ring := range []string{"a", "b"} {
			own := 1 - int(ring[0]-'a')
			files["edges.csv"] += fmt.Sprintf("%s%d,%s%d\n%s%d,%s%d\n", ring, k, ring, (k+1)%12, ring, k, ring, (k+3)%12)
			files["x.csv"] += fmt.Sprintf("%s%d,%d,%d,%d\n", ring, k, 3*own+k%3, 3-3*own+k%2, k%5)
			files["ids.txt"] += fmt.Sprintf("%s%d\n", ring, k)
			if files["all.csv"] += fmt.Sprintf("%s%d,%s\n", ring, k, ring); k%2 == 0 {
				files["labels.csv"] += fmt.Sprintf("%s%d,%s\n", ring, k, ring)
				files["numbers.csv"] += fmt.Sprintf("%s%d,%g\n", ring, k, float64(k*k)+0.5)
			}
		}
	}
	files["edges.csv"] += "a0,b0\n"
	files["x.csv"] = "id,f,g,h\n" + files["x.csv"]
	t.Chdir(folder(t, files))
	for _, line := range []string{
		"embed edges.csv -features x.csv -dim 2 -model m -o y.tsv", "embed edges.csv -dim 3 -model free -o z.tsv", "convert x.csv x.npy", "convert edges.csv g.npz -features x.csv -labels all.csv",
		"predict edges.csv -features x.csv -labels labels.csv -dim 2 -classifier k -model both -o p.csv", "train edges.csv -features x.csv -epochs 2 -dim 2 -model net -o n.tsv",
	} {
		if code, _, said := call("", split(line)...); code != 0 {
			t.Fatal(said)
		}
	}
	names := func() (all []string) {
		for _, e := range testkit.Must(os.ReadDir(".")) {
			all = append(all, e.Name())
		}
		return all
	}
	before := names()
	calls := map[string]func(ctx context.Context) error{}
	for _, line := range strings.Split(strings.TrimSpace(commandsThatEnd), "\n") {
		calls[line] = func(ctx context.Context) error {
			var out, errs bytes.Buffer
			code := run(ctx, split(line), strings.NewReader(""), &out, &errs)
			for _, name := range names() {
				if !slices.Contains(before, name) {
					testkit.Check(t, os.Remove(name))
				}
				if strings.Contains(name, "partial") {
					return fmt.Errorf("it left %s", name)
				}
			}
			if code == 0 {
				return nil
			}
			if code == exitInterrupted && strings.HasSuffix(errs.String(), "coles: interrupted\n") {
				return context.Canceled
			}
			return fmt.Errorf("exit code %d, standard error %q", code, &errs)
		}
	}
	promise.EndsAnywhere(t, calls)
}

const commandsThatEnd = `
embed edges.csv -features x.csv -dim 2 -model out.model -o out.npy -ids out.ids
embed edges.csv -features x.csv -with m -new-features new.csv -new-edges joins.csv
embed edges.csv -with free -new-edges joins.csv
embed edges.csv -features x.npy -ids ids.txt -dim 2 -kind auto
embed -knn 3 -features x.csv -dim 2
embed edges.csv -directed -features x.csv -dim 4
eval edges.csv -features x.csv -labels all.csv -dim 2 -per-class 2 -count 2 -runs 2
eval g.npz -embedding y.tsv -splits splits.json -runs 0
eval edges.csv -features x.csv -labels numbers.csv -dim 2 -count 2
eval g.npz -dim 2 -per-class 2 -count 2 -runs 0
predict edges.csv -features x.csv -labels labels.csv -dim 2 -why -model out.model -classifier out.k -o out.csv
predict edges.csv -features x.csv -labels numbers.csv -dim 2 -json
predict edges.csv -features x.csv -use both -probabilities
predict edges.csv -features x.csv -with m -labels labels.csv -all
predict -embedding y.tsv -labels labels.csv -why
cluster edges.csv -features x.csv -dim 2
cluster -embedding y.tsv -k 2
similar -embedding y.tsv a0 b0
similar -embedding y.tsv -queries y.tsv
similar -graph edges.csv a0
links edges.csv -features x.csv -dim 2 -k 2
links edges.csv -k 2 -by cosine -node a0 -among among.txt -why
links edges.csv -pairs pairs.csv
plot edges.csv -features x.csv -dim 2 -o out.html
plot -embedding y.tsv -by pca -o out.svg
plot edges.csv -features x.csv -dim 2 -labels labels.csv -predicted -o out.png
embed edges.csv -dim 2 -only among.txt -o out.tsv
embed typed.csv -dim 2 -scratch .
links typed.csv -relation by -k 1
links edges.csv -directed -features x.csv -dim 4 -k 2
similar -graph edges.csv -names names.csv a0
predict edges.csv -features x.csv -kind graph -dim 2 -labels labels.csv -alone -json
predict edges.csv -features x.csv -use both -why
eval edges.csv -features x.csv -labels all.csv -dim 2 -per-class 2 -count 2 -runs 0 -kind auto -json
info edges.csv -features x.csv -labels all.csv
info g.npz
info m
convert g.npz out.mtx
convert y.tsv out.npy -ids out.ids
train edges.csv -features x.csv -epochs 2 -dim 2 -model out.model -o out.tsv
`
