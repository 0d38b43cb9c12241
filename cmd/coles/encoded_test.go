package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coles/internal/testkit"
)

// stall is two rings of products, and a table of them with every kind of column and one hole.
func stall(t *testing.T) (dir string) {
	t.Helper()
	edges, rows := "source,target\n", "product,brand,price,added,title,code\n"
	for i := range 12 {
		side := i % 2
		edges += fmt.Sprintf("p%d,p%d\n", i, (i+2)%12)
		price := fmt.Sprint(1 + i*i*i)
		if i == 3 {
			price = ""
		}
		rows += fmt.Sprintf("p%d,Brand %d,%s,2024-01-%02d,\"a %s, of lot%d\",%d\n", i, side, price, 1+i, []string{"red mug", "blue train"}[side], i, i%3)
	}
	return folder(t, map[string]string{
		"bought.csv": edges, "products.csv": rows,
		"later.tsv": "n1\tn2\n", "later.csv": "product,code,price,shelf\nn1,1,8,2\nn2,2,9,3\n",
		"typo.csv":  strings.Replace(rows, "p4,Brand 0,65,", "p4,Brand 0,dear,", 1),
		"words.csv": "id,w\np1,x\np2,x\np3,y\n",
		"labels":    "p0,mugs\np1,trains\np2,mugs\np3,trains\n",
	})
}

// ran is what a run that has to succeed prints on both streams, without the folder.
func ran(t *testing.T, dir string, args ...string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := call("", args...)
	if code != 0 {
		t.Fatalf("coles %s: exit %d, %s", strings.Join(args, " "), code, stderr)
	}
	return stdout, strings.ReplaceAll(stderr, dir+string(os.PathSeparator), "")
}

func TestTables(t *testing.T) {
	dir := stall(t)
	file := func(name string) string { return filepath.Join(dir, name) }
	with := func(command string, more ...string) []string {
		return append([]string{command, file("bought.csv"), "-features", file("products.csv")}, more...)
	}
	const hole = "coles: warning: products.csv: holes get the mean of their column: 1 of \"price\"\n"

	stdout, stderr := ran(t, dir, with("info")...)
	testkit.WantSame(t, "said", stderr, hole)
	columns := []string{
		"\n  brand        category, 2 values, 0 holes, 2 features\n",
		"\n  price        number, 11 values, 1 hole, 1 feature by logarithms\n",
		"\n  added        date, 12 values, 0 holes, 1 feature\n",
		"\n  title        text, 18 words, 0 holes, 6 features\n",
		"\n  code         number, 3 values, 0 holes, 1 feature\n",
	}
	testkit.WantText(t, stdout, append(columns, "\nfeatures       11 columns,")...)

	stdout, stderr = ran(t, dir, with("info", "-json", "-categorical", "code,price", "-ignore", "added", "-text", "brand", "-numeric", "code")...)
	testkit.WantSame(t, "nothing to say", stderr, "")
	testkit.WantText(t, stdout, `"name": "price",`, `"kind": "category"`, `"kind": "ignore"`)

	// A model keeps how its features were made: the same table gives the same bytes, by a network, too.
	for command, more := range map[string][]string{"embed": nil, "train": {"-epochs", "2", "-dim", "2"}} {
		ran(t, dir, with(command, append(more, "-model", file(command+".model"), "-o", file(command+".tsv"))...)...)
		stdout, _ = ran(t, dir, with("embed", "-with", file(command+".model"))...)
		testkit.WantSame(t, "the same table", stdout, read(t, file(command+".tsv")))
		stdout, _ = ran(t, dir, "info", file(command+".model"))
		testkit.WantText(t, stdout, "category, 2 values, 0 holes, 2 features", "number, 11 values, 1 hole, 1 feature by logarithms")
	}

	// A file of other columns and nothing but numbers is one of the same table.
	stdout, stderr = ran(t, dir, "embed", file("later.tsv"), "-features", file("later.csv"), "-with", file("embed.model"))
	testkit.WantSame(t, "rows", strings.Count(stdout, "\n"), 2)
	testkit.WantSame(t, "said", stderr, "coles: warning: later.csv lacks columns of the model: brand, added, title\n"+
		"coles: warning: later.csv has columns that the model does not know: shelf\n")

	// Values that the model does not know are counted, unless they are another program's form of one.
	write(t, file("new.csv"), "product,brand,price\nn1,brand 1,1\nn2,Brand 1,2\nn3,Acme,2\n")
	write(t, file("new.tsv"), "n1\tn2\nn2\tn3\n")
	_, stderr = ran(t, dir, "embed", file("new.tsv"), "-features", file("new.csv"), "-with", file("embed.model"))
	testkit.WantSame(t, "said", stderr, "coles: warning: new.csv lacks columns of the model: added, title, code\n"+
		"coles: warning: new.csv has cells with values that the model does not know, taken for holes: brand 2, such as \"brand 1\"\n")

	// Features of a table go wherever features go.
	ran(t, dir, with("convert")[0], file("bought.csv"), file("x.npz"), "-features", file("products.csv"))
	ran(t, dir, "convert", file("x.npz"), file("x.npy"))
	stdout, _ = ran(t, dir, "info", file("x.npz"))
	testkit.WantText(t, stdout, "\nfeatures       11 columns,")
	const encoded = " has no columns by name: its numbers are taken for the features that the model makes of columns\n"
	_, stderr = ran(t, dir, "embed", file("x.npz"), "-with", file("embed.model"))
	testkit.WantSame(t, "said", stderr, "coles: warning: x.npz"+encoded)
	_, stderr = ran(t, dir, "embed", file("x.npz"), "-features", file("x.npy"), "-with", file("embed.model"))
	testkit.WantSame(t, "said", stderr, "coles: warning: x.npy"+encoded)

	numbers, plain := file("numbers.tsv"), file("plain.model")
	write(t, numbers, "n1\t1\t2\nn2\t2\t5\n")
	ran(t, dir, "embed", file("later.tsv"), "-features", numbers, "-dim", "2", "-model", plain, "-o", file("y.tsv"))
	for name, c := range map[string]struct {
		want string
		args []string
	}{
		"a mistyped number":        {`typo.csv:6: column "price": malformed: "dear" is not a number; -categorical, -text, -numeric or -ignore says what a column is`, []string{"info", file("bought.csv"), "-features", file("typo.csv"), "-numeric", "price"}},
		"no such column":           {`products.csv: bad setting: column = "cost", want one of "brand", "price"`, with("info", "-text", "cost")},
		"an embedding of words":    {"words.csv: malformed: vectors are numbers", []string{"similar", "-embedding", file("words.csv"), "p1"}},
		"a model of numbers":       {"products.csv: malformed: the model knows numbers only", with("embed", "-with", plain)},
		"holes that are not to be": {`products.csv:5:12: malformed: "" says nothing`, with("info", "-missing", "error")},
	} {
		t.Run(name, func(t *testing.T) { refused(t, dir, exitFailure, c.want, "", c.args...) })
	}
}

// A model of numbers finds its columns by name, in files of every form.
func TestNumbersByName(t *testing.T) {
	edges, rows, turned, objects := "", "id,a,b,c\n", "id,c,b,a\n", ""
	for i := range 12 {
		edges += fmt.Sprintf("p%d,p%d\n", i, (i+2)%12)
		a, b, c := i%5, i*i%7, i%2
		rows += fmt.Sprintf("p%d,%d,%d,%d\n", i, a, b, c)
		turned += fmt.Sprintf("p%d,%d,%d,%d\n", i, c, b, a)
		objects += fmt.Sprintf(`{"id":"p%d","b":%d,"c":%d,"a":%d}`+"\n", i, b, c, a)
	}
	dir := folder(t, map[string]string{
		"g.csv": edges, "x.csv": rows, "turned.csv": turned, "x.jsonl": objects, "other.csv": strings.Replace(rows, "id,a", "id,w", 1),
		"kim.csv": "id,b,c,a\nkim,3,1,2\n", "kim.jsonl": `{"id":"kim","a":2,"b":3,"c":1}`,
		"bare.csv": "kim,2,3,1\n", "edge.csv": "kim,p0\n",
	})
	file := func(name string) string { return filepath.Join(dir, name) }
	for command, more := range map[string][]string{"embed": {"-dim", "2"}, "train": {"-epochs", "2", "-dim", "2"}} {
		model := file(command + ".model")
		want, _ := ran(t, dir, append([]string{command, file("g.csv"), "-features", file("x.csv"), "-model", model}, more...)...)
		for _, x := range []string{"x.csv", "turned.csv", "x.jsonl"} {
			got, said := ran(t, dir, "embed", file("g.csv"), "-features", file(x), "-with", model)
			testkit.WantSame(t, command+" "+x, []string{got, said}, []string{want, ""})
		}
	}
	newcomer := func(features string) []string {
		return []string{"embed", file("g.csv"), "-features", file("turned.csv"), "-with", file("embed.model"), "-new-features", file(features), "-new-edges", file("edge.csv")}
	}
	want, _ := ran(t, dir, newcomer("bare.csv")...)
	for _, x := range []string{"kim.csv", "kim.jsonl"} {
		got, said := ran(t, dir, newcomer(x)...)
		testkit.WantSame(t, x, []string{got, said}, []string{want, ""})
	}
	refused(t, dir, exitFailure, `other.csv: missing part: no column "a"`, "", "embed", file("g.csv"), "-features", file("other.csv"), "-with", file("embed.model"))
}
