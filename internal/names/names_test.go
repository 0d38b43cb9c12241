package names

import (
	"fmt"
	"testing"
)

// The index agrees with a map of the same names, before each is added and after, however many there are.
func TestIndexIsAMap(t *testing.T) {
	var names []string
	want := map[string]int{}
	var x Index
	for i := range 5000 {
		name := fmt.Sprint("node ", i*i)
		if i == 70 {
			name = ""
		}
		if row := x.Find(x.Hash(name), names, name); row != -1 {
			t.Fatalf("%q is at %d before it is added", name, row)
		}
		x.Look([]uint32{x.Hash(name), 7}, names)
		x.Add(x.Hash(name), i)
		names, want[name] = append(names, name), i
	}
	of := Of(names)
	for name, row := range want {
		if got, again := x.Find(x.Hash(name), names, name), of.Find(of.Hash(name), names, name); got != row || again != row {
			t.Fatalf("%q is at %d and %d, want %d", name, got, again, row)
		}
	}
	if row := of.Find(of.Hash("nobody"), names, "nobody"); row != -1 {
		t.Errorf("nobody is at %d", row)
	}
}

// Names of one hash are told apart, also where the end of the table lies between them.
func TestNamesOfOneHash(t *testing.T) {
	var x Index
	x.Hash("") // makes a table of 64
	names := []string{"a", "b", "c"}
	for i := range names {
		x.Add(63, i)
	}
	for i, name := range append(names, "d") {
		want := i
		if i == len(names) {
			want = -1
		}
		if row := x.Find(63, names, name); row != want {
			t.Errorf("%q is at %d, want %d", name, row, want)
		}
	}
}
