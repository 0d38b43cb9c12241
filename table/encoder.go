package table

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"coles"
	"coles/internal/archive"
	"coles/internal/parallel"
	"coles/internal/setting"
)

// An Encoder makes features of the rows of tables that have the columns it learned from, some of them, or others
// besides. It does not change.
type Encoder struct {
	variables []Variable
	first     []int            // the first feature of each variable, and behind them the number of features
	column    map[string]int   // the variable of each column
	feature   []map[string]int // of each name of a variable and of each rare value
}

// A Variable is a column as an encoder has learned it.
type Variable struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"` // not Detect
	// Holes counts the cells without a value among those it learned from, and Values the different values, or of
	// a text the words.
	Holes  int `json:"holes"`
	Values int `json:"values"`
	// Between stands between the values of a category's cell that has several, "" where each has one; it is [ for JSON.
	Between string `json:"between,omitempty"`
	// Names are the values or words that have a feature each, in order. In files of earlier versions the other values
	// share one: Rare lists them, or Open is set for all that are no names.
	Names []string `json:"names,omitempty"`
	Rare  []string `json:"rare,omitempty"`
	Open  bool     `json:"open,omitempty"`
	// Number is the scale of numbers; nil for other kinds, and if all are the same.
	Number *Scale `json:"number,omitempty"`
	// Vector is the centre of vectors; nil for other kinds, and if all are the same.
	Vector *Centre `json:"vector,omitempty"`
	// Fill is what a reader puts in a hole of numbers as they are, see [AsIs]; nil for nothing.
	Fill *float64 `json:"fill,omitempty"`
}

// Features is how many features a variable has. There are none where all rows have the same value.
func (v *Variable) Features() int {
	n := len(v.Names)
	if v.hasRare() || v.Number != nil {
		n++
	}
	if v.Vector != nil {
		n += len(v.Vector.Mean)
	}
	return n
}

// hasRare reports whether rare values have a feature.
func (v *Variable) hasRare() bool { return v.Rare != nil || v.Open }

// String is the variable in a line: kind, values, holes and features.
func (v *Variable) String() string {
	what := "values"
	if v.Kind == Text {
		what = "words"
	} else if v.Kind == Vector {
		what = "numbers"
	}
	s := fmt.Sprintf("%v, %s, %s, %s", v.Kind, setting.Count(v.Values, what), setting.Count(v.Holes, "holes"), setting.Count(v.Features(), "features"))
	switch {
	case v.Number != nil && v.Number.Log:
		s += " by logarithms"
	case v.hasRare():
		s += ", one for all rare values"
	case v.Kind == Category && len(v.Names) > 0 && len(v.Names) < v.Values:
		s += ", none for rare values"
	case len(v.Names) == MostWords:
		s += ", the bound"
	}
	if v.Between != "" {
		s += fmt.Sprintf(", several a cell by %q", v.Between)
	}
	return s
}

// rowsAtOnce are encoded between two looks at the context.
const rowsAtOnce = 1000

// Fit learns an encoder from the rows of a table: kinds that are to be detected, scales, categories, words. It takes one pass
// over the cells, two over a text whose kind is detected.
//
// Errors: a [*CellError] of coles.ErrFormat or coles.ErrNotFinite for a cell that does not fit its column's kind;
// coles.ErrShape for columns of different lengths, without rows, or without any feature; coles.ErrIDs for two columns of one
// name; ctx's.
func Fit(ctx context.Context, t *Table) (*Encoder, error) {
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	variables, errs := make([]Variable, len(t.Columns)), make([]error, len(t.Columns))
	err := parallel.For(ctx, len(t.Columns), func(j int) { variables[j], errs[j] = t.learn(ctx, &t.Columns[j]) })
	if err := cmp.Or(err, cmp.Or(errs...)); err != nil {
		return nil, err
	}
	e, err := newEncoder(variables)
	if err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	return e, nil
}

// learn looks at a column.
func (t *Table) learn(ctx context.Context, c *Column) (Variable, error) {
	v := Variable{Name: c.Name}
	v.Kind, v.Between = c.detect(ctx)
	rows := make(map[string]int) // that have a value or word
	var numbers []float64
	var lists vectors
	for i, cell := range c.Cells {
		if i%rowsAtOnce == 0 && ctx.Err() != nil {
			return v, ctx.Err()
		}
		if c.lacks(cell, v.Kind) {
			v.Holes++
			continue
		}
		switch v.Kind {
		case Number, Date:
			x, err := v.parse(cell)
			if err != nil {
				return v, t.fault(i, c.Name, err)
			}
			numbers = append(numbers, x)
		case Vector:
			if err := lists.add(cell); err != nil {
				return v, t.fault(i, c.Name, err)
			}
		case Category, Text:
			for _, name := range v.namesOf(cell) {
				rows[name]++
			}
		}
	}
	switch v.Kind {
	case Number, Date:
		v.Values, v.Number = scaleOf(numbers, v.Kind == Number)
	case Vector:
		var err error
		if v.Vector, err = lists.centre(); err != nil {
			return v, fmt.Errorf("table: column %q: %w", c.Name, err)
		}
		v.Values = lists.width
	case Category, Text:
		v.Values, v.Names = len(rows), mostFrequent(rows, mostNames[v.Kind])
		if v.Kind == Category && v.Values == 1 && v.Holes == 0 {
			v.Names = nil
		}
	}
	return v, nil
}

// parse is a cell of numbers or of dates.
func (v *Variable) parse(cell string) (float64, error) {
	if v.Kind == Number {
		return parseNumber(cell)
	}
	seconds, ok := date(strings.TrimSpace(cell))
	if !ok {
		return 0, fmt.Errorf("%w: %q is not a date", coles.ErrFormat, cell)
	}
	return seconds, nil
}

// namesOf are the values of a category's cell, or the words of a text, each once.
func (v *Variable) namesOf(cell string) (all []string) {
	if v.Kind == Category {
		return listed(cell, v.Between)
	}
	eachWord(cell, func(word string) { all = append(all, word) })
	slices.Sort(all)
	return slices.Compact(all)
}

// mostFrequent are the names that two rows or more have, in order: the most frequent ones if there are more than
// most, and of equally frequent ones the first.
func mostFrequent(rows map[string]int, most int) []string {
	var names []string
	for name, n := range rows {
		if n >= 2 {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(rows[b]-rows[a], cmp.Compare(a, b)) })
	names = names[:min(len(names), most)]
	slices.Sort(names)
	return names
}

// newEncoder numbers the features of variables.
func newEncoder(variables []Variable) (*Encoder, error) {
	e := &Encoder{variables: variables, first: make([]int, len(variables)+1), column: make(map[string]int), feature: make([]map[string]int, len(variables))}
	for j := range variables {
		v := &variables[j]
		e.column[v.Name] = j
		e.first[j+1] = e.first[j] + v.Features()
		e.feature[j] = v.numbered(e.first[j])
	}
	if len(e.column) < len(variables) {
		return nil, fmt.Errorf("%w: two columns of one name", coles.ErrIDs)
	}
	if e.Features() == 0 {
		return nil, fmt.Errorf("%w: no column tells rows apart", coles.ErrShape)
	}
	return e, nil
}

// Variables are what the encoder has learned of each column.
func (e *Encoder) Variables() []Variable { return slices.Clone(e.variables) }

// Features is the number of features, d.
func (e *Encoder) Features() int {
	if e.first == nil { // of the zero value
		return 0
	}
	return e.first[len(e.variables)]
}

// Names are the names of the features, all different: "price" of a number, "brand=Acme" of a value, "title:word" of
// a word, and "photo:0" of the first number of a vector. A name that an earlier feature has, too, ends in " (2)".
func (e *Encoder) Names() []string {
	var all []string
	for _, v := range e.variables {
		between := "="
		if v.Kind == Text {
			between = ":"
		}
		for _, name := range v.Names {
			all = append(all, v.Name+between+name)
		}
		if v.hasRare() {
			all = append(all, v.Name+"=*")
		}
		if v.Number != nil {
			all = append(all, v.Name)
		}
		if v.Vector != nil {
			for k := range v.Vector.Mean {
				all = append(all, fmt.Sprintf("%s:%d", v.Name, k))
			}
		}
	}
	distinguish(all)
	return all
}

// distinguish puts a number behind names that are there already.
func distinguish(names []string) {
	taken := make(map[string]bool, len(names))
	var again []int
	for k, name := range names {
		if taken[name] {
			again = append(again, k)
		}
		taken[name] = true
	}
	for _, k := range again {
		name := names[k]
		for n := 2; taken[names[k]]; n++ {
			names[k] = fmt.Sprintf("%s (%d)", name, n)
		}
		taken[names[k]] = true
	}
}

// fileFormat marks the file of an encoder. It has no arrays.
var fileFormat = archive.Format{Magic: [8]byte([]byte("COLESTAB")), Version: 1}

type fileHeader struct {
	Variables []Variable `json:"variables"`
}

// WriteTo writes the encoder in a versioned format that ends in a checksum. The command coles keeps a model and
// its encoder in one file, the encoder last.
func (e *Encoder) WriteTo(w io.Writer) (int64, error) {
	n, err := fileFormat.Write(w, fileHeader{e.variables})
	if err != nil {
		return n, fmt.Errorf("table: write encoder: %w", err)
	}
	return n, nil
}

// ReadEncoder reads what [Encoder.WriteTo] wrote, and no byte more.
//
// Errors: coles.ErrFormat for bytes that are no encoder or an unknown version, coles.ErrChecksum for an encoder
// that was changed or cut off, and the reader's.
func ReadEncoder(r io.Reader) (e *Encoder, err error) {
	_, err = fileFormat.Read(r, func(text []byte) ([]int, error) {
		var h fileHeader
		if err := json.Unmarshal(text, &h); err != nil {
			return nil, err
		}
		for i := range h.Variables {
			if err := h.Variables[i].check(); err != nil {
				return nil, fmt.Errorf("column %q: %w", h.Variables[i].Name, err)
			}
		}
		e, err = newEncoder(h.Variables)
		return nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("table: read encoder: %w", err)
	}
	return e, nil
}

// check finds what no encoder has learned.
func (v *Variable) check() error {
	numbers := v.Kind == Number || v.Kind == Date
	switch {
	case v.Kind <= Detect || v.Kind > Vector:
		return fmt.Errorf("kind %v", v.Kind)
	case len(v.Names) > mostNames[v.Kind] || v.hasRare() && (v.Kind != Category || v.Names == nil) || v.Open && v.Rare != nil:
		return fmt.Errorf("%d names of a %v, %d of rare ones", len(v.Names), v.Kind, len(v.Rare))
	case disordered(v.Names) || disordered(v.Rare):
		return fmt.Errorf("names in no order")
	case v.Between != "" && (v.Kind != Category || !slices.Contains(separators, v.Between)):
		return fmt.Errorf("%q between the values of a %v", v.Between, v.Kind)
	case v.Number != nil && (!numbers || !(v.Number.Unit > 0 && v.Number.Deviation > 0) || v.Number.Log && v.Number.Least < 0):
		return fmt.Errorf("scale %+v of a %v", *v.Number, v.Kind)
	case v.Vector != nil && (v.Kind != Vector || len(v.Vector.Mean) == 0 || !(v.Vector.Unit > 0)):
		return fmt.Errorf("a vector of %d numbers in the unit %v, of a %v", len(v.Vector.Mean), v.Vector.Unit, v.Kind)
	}
	return nil
}

// disordered reports whether names are not ascending.
func disordered(names []string) bool {
	return !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) < len(names)
}
