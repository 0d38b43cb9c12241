package kernel

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"coles/internal/setting"
)

func TestThePathIsTheOneAskedForOrTheBest(t *testing.T) {
	fast, middle, slow := &path{name: "avx512"}, &path{name: "avx2"}, &path{name: "portable"}
	all := []*path{fast, middle, slow}
	for _, c := range []struct {
		asked string
		there []*path
		want  *path // nil for an error
	}{
		{"", all, fast},
		{"avx512", all, fast},
		{"avx2", all, middle},
		{"portable", all, slow},
		{"", all[2:], slow},
		{"AVX2", all, nil}, // names are lower-case
		{"avx2 ", all, nil},
		{"sse9", all, nil},
		{"avx512", all[1:], nil},
		{"avx2", all[2:], nil},
		{"portable", all[2:], slow},
	} {
		got, err := choose(c.there, c.asked)
		if c.want == nil {
			possible := strings.Join(names(c.there), ", ")
			if !errors.Is(err, setting.ErrSetting) || !strings.HasSuffix(err.Error(), fmt.Sprintf("%q, want %s here", c.asked, possible)) {
				t.Errorf("%q of %s: %v", c.asked, possible, err)
			}
		} else if got != c.want || err != nil {
			t.Errorf("%q of %d paths: %s, want %s (%v)", c.asked, len(c.there), got.name, c.want.name, err)
		}
	}
	if paths := Paths(); paths[len(paths)-1] != "portable" {
		t.Errorf("paths %v do not end with the portable one", paths)
	}
	if asked := os.Getenv("COLES_KERNEL"); asked != "" && Path() != asked {
		t.Errorf("path %s in use where COLES_KERNEL=%s", Path(), asked)
	}
}

func TestSizeClassesRiseByAQuarterAtMost(t *testing.T) {
	before, largest := -1, 0
	for n := range 100_000 {
		class, size := SizeClass(n)
		if again, same := SizeClass(size); again != class || same != size {
			t.Fatalf("n = %d: size %d of class %d is itself of size %d and class %d", n, size, class, same, again)
		}
		if size < n || n > 4 && 4*size > 5*n+3 {
			t.Fatalf("n = %d: size %d", n, size)
		}
		if class != before {
			if class != before+1 || size <= largest {
				t.Fatalf("n = %d: class %d of size %d after class %d of size %d", n, class, size, before, largest)
			}
			before, largest = class, size
		}
	}
	if class, _ := SizeClass(math.MaxInt / 2); class >= len(buffers64) {
		t.Errorf("class %d of %d", class, len(buffers64))
	}
}

func TestBorrowedBuffersAreApart(t *testing.T) {
	a, b := borrow[float64](100), borrow[float64](100)
	if &(*a)[0] == &(*b)[0] {
		t.Fatal("one buffer was lent twice")
	}
	giveBack(a)
	giveBack(b)
	m, release := Scratch[float32](3, 5)
	defer release()
	if m.Rows != 3 || m.Cols != 5 || m.Stride != 5 || len(m.Data) != 15 {
		t.Errorf("scratch is %d × %d, %d apart, in %d numbers", m.Rows, m.Cols, m.Stride, len(m.Data))
	}
}

// Use takes every path that there is, and for another name the best with an error.
func TestUse(t *testing.T) {
	before := Path()
	defer Use(before)
	for _, name := range Paths() {
		if err := Use(name); err != nil || Path() != name {
			t.Errorf("%s: %v, the path is %s", name, err, Path())
		}
	}
	if err := Use("abacus"); !errors.Is(err, setting.ErrSetting) || Path() != Paths()[0] {
		t.Errorf("abacus: %v, the path is %s", err, Path())
	}
}
