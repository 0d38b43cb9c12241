package table

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// encoded learns from a table and encodes it.
func encoded(t *testing.T, of *Table) (*Encoder, *mat.Dense) {
	t.Helper()
	e := testkit.Must(Fit(context.Background(), of))
	return e, testkit.DenseOf(testkit.Must(e.Encode(context.Background(), of)))
}

// numbers are cells of these numbers, NaN a hole.
func numbers(x []float64) *Table {
	t := New("c")
	for i, v := range x {
		t.Add(strconv.Itoa(i), v)
	}
	return t
}

// shop is five rows of every kind of column.
func shop() *Table {
	t := New("brand", "price", "added", "title", "sold", "code")
	day := func(d int) time.Time { return time.Date(2024, 1, d, 0, 0, 0, 0, time.UTC) }
	t.Add("a", "Acme", 10, day(1), "Red mug", 0, "x1")
	t.Add("b", " Acme ", 1000.0, day(3), "red MUG, large", 0, "x2")
	t.Add("c", "Brio", float32(0.5), time.Time{}, "A mug: red, red!", uint8(5), "x3")
	t.Add("d", "Brio", nil, day(5), nil, 0, "x4")
	t.Add("e", "Lego", math.NaN(), day(7), "Café au lait", 0, "x5")
	return t
}

func TestEncode(t *testing.T) {
	e, x := encoded(t, shop())
	testkit.WantSame(t, "names", e.Names(), []string{"brand=Acme", "brand=Brio", "price", "added", "title:mug", "title:red", "sold"})

	// Worked out by hand. Prices .5, 10 and 1000 span decades, by logarithms; dates are days 1, 3, 5 and 7; most of
	// sold are 0 and stay so, and 5 becomes √5, whose mean square over five rows is 1.
	logs := []float64{math.Log(10), math.Log(1000), math.Log(0.5)}
	mean := (logs[0] + logs[1] + logs[2]) / 3
	deviation := math.Sqrt(((logs[0]-mean)*(logs[0]-mean) + (logs[1]-mean)*(logs[1]-mean) + (logs[2]-mean)*(logs[2]-mean)) / 3)
	price := func(k int) float64 { return (logs[k] - mean) / deviation }
	s := math.Sqrt(5) // the deviation of days
	testkit.WantClose(t, "features", x, mat.NewDense(5, 7, []float64{
		1, 0, price(0), -3 / s, 1, 1, 0,
		1, 0, price(1), -1 / s, 1, 1, 0,
		0, 1, price(2), 0, 1, 2, math.Sqrt(5),
		0, 1, 0, 1 / s, 0, 0, 0,
		0, 0, 0, 3 / s, 0, 0, 0,
	}), 1e-12)

	var lines []string
	for _, v := range e.Variables() {
		lines = append(lines, v.Name+": "+v.String())
	}
	testkit.WantSame(t, "variables", lines, []string{
		"brand: category, 3 values, 0 holes, 2 features, none for rare values",
		"price: number, 3 values, 2 holes, 1 feature by logarithms",
		"added: date, 4 values, 1 hole, 1 feature",
		"title: text, 7 words, 1 hole, 2 features",
		"sold: number, 2 values, 0 holes, 1 feature",
		"code: category, 5 values, 0 holes, 0 features",
	})
}

// The unit of numbers does not matter, nor where dates begin, and nor does a constant of those without logarithms.
func TestUnits(t *testing.T) {
	rng := testkit.Random(1)
	normal, lognormal, counts := make([]float64, 300), make([]float64, 300), make([]float64, 300)
	for i := range normal {
		normal[i], lognormal[i] = rng.NormFloat64(), math.Exp(2*rng.NormFloat64())
		counts[i] = math.Floor(math.Exp(3 * rng.NormFloat64())) // many zeros, and a thousand
	}
	for name, x := range map[string][]float64{"normal": normal, "lognormal": lognormal, "counts": counts} {
		e, want := encoded(t, numbers(x))
		testkit.WantSame(t, name+" by logarithms", e.variables[0].Number.Log, name != "normal")
		for _, unit := range []float64{1e-300, 0.01, 1e6, 1e300} {
			scaled := make([]float64, len(x))
			for i := range x {
				scaled[i] = unit * x[i]
			}
			_, got := encoded(t, numbers(scaled))
			testkit.WantClose(t, fmt.Sprint(name, " times ", unit), got, want, 1e-10)
		}
		col := mat.Col(nil, 0, want)
		mean, square := 0.0, 0.0
		for _, v := range col {
			mean, square = mean+v/300, square+v*v/300
		}
		if testkit.WantNear(t, name+": mean square", square, 1, 1e-12); name != "counts" {
			testkit.WantNear(t, name+": 1 + mean", 1+mean, 1, 1e-12)
		}
	}
	shifted := make([]float64, len(normal))
	for i := range normal {
		shifted[i] = normal[i] + 1e4
	}
	_, want := encoded(t, numbers(normal))
	_, got := encoded(t, numbers(shifted))
	testkit.WantClose(t, "shifted", got, want, 1e-9)
}

// Numbers at the ends of float64, and those that differ by rounding, make finite features or none.
func TestExtremeNumbers(t *testing.T) {
	for name, x := range map[string][]float64{
		"huge":         {math.MaxFloat64, -math.MaxFloat64, 1},
		"tiny":         {5e-324, 0, 1e-323},
		"all decades":  {0, 5e-324, 1, math.MaxFloat64},
		"no zero":      {5e-324, 1, math.MaxFloat64},
		"by one bit":   {1e308, math.Nextafter(1e308, 0)},
		"one beside 0": {0, 0, 0, 1e-310},
	} {
		table := numbers(x)
		table.Columns = append(table.Columns, Column{Name: "d", Cells: repeat(len(x), "%d")})
		_, features := encoded(t, table)
		for _, v := range features.RawMatrix().Data {
			if v-v != 0 || math.Abs(v) > math.Sqrt(float64(len(x))) { // of mean square 1
				t.Errorf("%s: a feature of %v", name, v)
			}
		}
	}
	// Of newcomers, what is below all is the least.
	e, x := encoded(t, numbers([]float64{1, 10, 1000, 5000, 100000}))
	got := testkit.Must(e.Encode(context.Background(), numbers([]float64{-7})))
	testkit.WantSame(t, "below all", got.At(0, 0), x.At(0, 0))
}

// Newcomers alone are encoded as among the others, whatever columns there are and in whatever order.
func TestNewcomers(t *testing.T) {
	all := shop()
	e, want := encoded(t, all)
	part := all.Select([]int{4, 1})
	slices.Reverse(part.Columns)
	got := testkit.DenseOf(testkit.Must(e.Encode(context.Background(), part)))
	for j := range want.RawMatrix().Cols {
		testkit.WantSame(t, "newcomer", []float64{got.At(0, j), got.At(1, j)}, []float64{want.At(4, j), want.At(1, j)})
	}

	other := New("brand", "weight", "title")
	other.Add("z", "Nobody", 3, "A mug from Mars")
	absent, unknown := e.Unlike(other)
	testkit.WantSame(t, "absent", absent, []string{"price", "added", "sold"}) // code has no features
	testkit.WantSame(t, "unknown", unknown, []string{"weight"})
	got = testkit.DenseOf(testkit.Must(e.Encode(context.Background(), other)))
	testkit.WantSame(t, "features", got.RawRowView(0), []float64{0, 0, 0, 0, 1, 0, 0})

	wrong := New("price")
	wrong.Add("z", "cheap")
	_, err := e.Encode(context.Background(), wrong)
	testkit.WantError(t, err, coles.ErrFormat)
	testkit.Stops(t, func(ctx context.Context) error { _, err := e.Encode(ctx, all); return err })
}

// Text is words of any script; one written in two ways is one.
func TestWords(t *testing.T) {
	var got []string
	eachWord("Don't STOP: cafe\u0301 1,000 北京 a_b --- \xff!", func(word string) { got = append(got, word) })
	// UAX 29 keeps apostrophes and commas within words and numbers, and parts ideographs.
	testkit.WantSame(t, "words", got, []string{"don't", "stop", "caf\u00e9", "1,000", "北", "京", "a_b"})
	x := column("cafe\u0301", "caf\u00e9", "tea", "tea")
	e, _ := encoded(t, x)
	testkit.WantSame(t, "values", e.Names(), []string{"c=caf\u00e9", "c=tea"})
	// The capital of U+01F0 has no form in one character.
	eachWord("J\u030c", func(word string) { testkit.WantSame(t, "composed again", word, "\u01f0") })
}

// Beyond a bound the most frequent are kept, and of equally frequent ones the first.
func TestBounds(t *testing.T) {
	cells := repeat(2, "last last", "last last")
	for k := range MostValues + 5 {
		cells = append(cells, repeat(2, fmt.Sprintf("v%05d", k))...)
	}
	e, x := encoded(t, column(cells...))
	v := e.Variables()[0]
	testkit.WantSame(t, "kept", []any{len(v.Names), v.Names[0], v.Names[MostValues-2], v.Names[MostValues-1], v.Values},
		[]any{MostValues, "last last", fmt.Sprintf("v%05d", MostValues-3), fmt.Sprintf("v%05d", MostValues-2), MostValues + 6})
	testkit.WantSame(t, "rows of rare values", float64(len(cells))-mat.Sum(x), 12.0) // six values are left
}

// The file of an encoder makes the same features, and is refused with any byte changed.
func TestFile(t *testing.T) {
	e, want := encoded(t, shop())
	var file bytes.Buffer
	n := testkit.Must(e.WriteTo(&file))
	testkit.WantSame(t, "bytes", n, int64(file.Len()))
	whole := slices.Clone(file.Bytes())
	file.WriteString("more")
	again := testkit.Must(ReadEncoder(&file))
	testkit.WantSame(t, "left", file.String(), "more")
	testkit.WantClose(t, "features", testkit.Must(again.Encode(context.Background(), shop())), want, 0)
	for i := range whole {
		changed := slices.Clone(whole)
		changed[i] ^= 4
		_, err := ReadEncoder(bytes.NewReader(changed))
		if !testkit.IsNamed(err) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
		_, err = ReadEncoder(bytes.NewReader(whole[:i]))
		if !testkit.IsNamed(err) {
			t.Fatalf("cut off after %d bytes: %v", i, err)
		}
	}
	for what, v := range map[string]Variable{
		"kind":       {Kind: Detect},
		"order":      {Kind: Text, Names: []string{"b", "a"}},
		"twice":      {Kind: Text, Names: []string{"a", "a"}},
		"too many":   {Kind: Category, Names: make([]string, MostValues+1)},
		"rare words": {Kind: Text, Names: []string{"a"}, Rare: []string{"b"}},
		"scale":      {Kind: Number, Number: &Scale{Unit: 1}},
		"number":     {Kind: Text, Number: &Scale{Unit: 1, Deviation: 1}},
		"features":   {Kind: Ignore},
		"open":       {Kind: Category, Names: []string{"a"}, Rare: []string{"b"}, Open: true},
	} {
		var file bytes.Buffer
		testkit.Must(fileFormat.Write(&file, fileHeader{[]Variable{v}}))
		if _, err := ReadEncoder(&file); !testkit.IsNamed(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A value has one form, whichever program wrote it, unless it is a code.
func TestOneForm(t *testing.T) {
	for _, same := range [][]string{
		{"true", "True", "TRUE"}, {"false", "False", " FALSE "}, // JSON, pandas, R
		{"1", "1.0", "1.00"}, {"-20", "-20.0"},
		{"1000000", "1e+06", "1E+6", "1000000.0"}, // of which 1e+06 is a number of Add
		{"0.00001", "1e-05", "1e-5"},
	} {
		for _, cell := range same {
			testkit.WantSame(t, cell, value(cell), same[0])
		}
	}
	for _, code := range []string{"007", "01.0", "1.10", "1.5", "12e4", "1e+999", "12345678901234567890", "truth", "v1.0", "1.0.0", "-", "-x"} {
		testkit.WantSame(t, "code", value(code), code)
	}
	pandas := column("True", "1.0", "False", "True", "1.0", "False")
	pandas.Columns[0].Kind = Category
	e, x := encoded(t, pandas)
	testkit.WantSame(t, "names", e.Names(), []string{"c=1", "c=false", "c=true"})
	other := New("c")
	other.Add("", true)
	other.Add("", 1)
	other.Add("", false)
	testkit.WantClose(t, "newcomers", testkit.Must(e.Encode(context.Background(), other)), x.Slice(0, 3, 0, 3), 0)
	testkit.WantSame(t, "unseen", len(e.Unseen(other)), 0)
}

// A file of an earlier version has other forms: its own mean what they did, and others the same.
func TestEarlierFile(t *testing.T) {
	var file bytes.Buffer
	testkit.Must(fileFormat.Write(&file, fileHeader{[]Variable{
		{Name: "c", Kind: Category, Names: []string{"1.0", "True"}, Rare: []string{"1", "FALSE"}},
		{Name: "w", Kind: Text, Names: []string{"j\u030c"}},
	}}))
	e := testkit.Must(ReadEncoder(&file))
	for cell, want := range map[string]int{"1.0": 0, "True": 1, "true": 1, "TRUE": 1, "1": 2, "FALSE": 2, "false": 2} {
		x := testkit.Must(e.Encode(context.Background(), column(cell)))
		testkit.WantSame(t, cell, []float64{x.At(0, want), mat.Sum(x)}, []float64{1, 1})
	}
	word := New("w")
	word.Add("", "J\u030c")
	testkit.WantSame(t, "word", testkit.Must(e.Encode(context.Background(), word)).At(0, 3), 1.0)
}

// Numbers as they are go by name, and the file of their encoder says so.
func TestAsIs(t *testing.T) {
	e := testkit.Must(AsIs([]string{"b", "a"}, nil))
	var file bytes.Buffer
	testkit.Must(e.WriteTo(&file))
	e = testkit.Must(ReadEncoder(&file))
	learnt, _ := encoded(t, shop())
	testkit.WantSame(t, "as they are", []bool{e.AsIs(), learnt.AsIs(), (*Encoder)(nil).AsIs()}, []bool{true, false, false})
	x := New("a", "other", "b")
	x.Add("", 1e-300, 7, -1.0/3)
	x.Add("", nil, 7, 1e300)
	testkit.WantClose(t, "features", testkit.Must(e.Encode(context.Background(), x)), mat.NewDense(2, 2, []float64{-1.0 / 3, 1e-300, 1e300, 0}), 0)
	_, err := AsIs([]string{"a", "a"}, nil)
	testkit.WantError(t, err, coles.ErrIDs)
	_, err = AsIs(nil, nil)
	testkit.WantError(t, err, coles.ErrShape)
}

// Values without a feature are counted.
func TestUnseen(t *testing.T) {
	e, _ := encoded(t, shop())
	other := New("title", "brand", "code", "price", "weight")
	for _, brand := range []string{"acme", "Acme", "", "acme", "Lego", "Duplo"} {
		other.Add("", "words from Mars", brand, "x9", 1, 2) // code has no features
	}
	testkit.WantSame(t, "unseen", e.Unseen(other), []Unseen{{"brand", 4, "acme"}})
	testkit.WantSame(t, "rare", e.Unseen(shop()), []Unseen{{"brand", 1, "Lego"}})
}

// A row alone costs what it has, not what the encoder has: these columns and values made a map each.
func TestCostOfARow(t *testing.T) {
	e := testkit.Must(Fit(context.Background(), wide(300)))
	row := New("column 7")
	row.Add("", "x")
	if n := testing.AllocsPerRun(10, func() { testkit.Must(e.Encode(context.Background(), row)) }); n > 30 {
		t.Errorf("%v allocations", n)
	}
}

// Features have different names, whatever columns and values are called.
func TestNamesDiffer(t *testing.T) {
	x := New("a", "a=b", "a=b=c", "a=b=c (2)")
	for i, value := range []string{"b=c", "*", "b=c", "*", "b=c"} {
		x.Add("", value, []string{"c", "d"}[i%2], i, i)
	}
	e := testkit.Must(Fit(context.Background(), x))
	testkit.WantSame(t, "names", e.Names(), []string{"a=*", "a=b=c", "a=b=c (3)", "a=b=d", "a=b=c (4)", "a=b=c (2)"})
}

// A number far beyond those learned from has its place in the error.
func TestFarNumbers(t *testing.T) {
	for _, x := range [][]float64{
		{0.1, 0.2, 0.7},                   // shares
		{1.5, math.Nextafter(1.5, 2)},     // equal but for rounding
		{1e-300, 1e-301, 3e-300, -2e-300}, // tiny
	} {
		e := testkit.Must(Fit(context.Background(), numbers(x)))
		far := numbers([]float64{0, 1e308})
		far.File, far.Lines = "new.csv", []int{2, 3}
		_, err := e.Encode(context.Background(), far)
		testkit.WantError(t, err, coles.ErrNotFinite)
		testkit.WantText(t, err.Error(), `new.csv:3: column "c": "1e+308": far beyond the numbers learned from`)
	}
}

// Whatever cells hold, features are finite and the same again, and newcomers' are, too.
func FuzzCells(f *testing.F) {
	f.Add("1", "2.5", "x", "2024-01-01")
	f.Add("NaN", "1e308", "-1e308", "a b a")
	f.Add("\xff", "北京", "0,5", "\u0301")
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		of := column(a, b, c, a, b, d)
		of.Columns = append(of.Columns, Column{Name: "n", Cells: repeat(6, "%d")})
		e, err := Fit(context.Background(), of)
		if err != nil {
			if !testkit.IsNamed(err) {
				t.Fatal(err)
			}
			return
		}
		x := testkit.Must(e.Encode(context.Background(), of))
		x.DoNonZero(func(i, j int, v float64) {
			if v-v != 0 {
				t.Fatalf("feature %d of row %d is %v", j, i, v)
			}
		})
		last := testkit.Must(e.Encode(context.Background(), of.Select([]int{5})))
		testkit.WantSame(t, "alone", mat.Row(nil, 0, last), mat.Row(nil, 5, x))
	})
}
