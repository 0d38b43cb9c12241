package kernel

import (
	"math"
	"testing"
)

func TestSizeClassesRiseByAQuarterAtMost(t *testing.T) {
	before, largest := -1, 0
	for n := range 100_000 {
		class, size := sizeClass(n)
		if again, same := sizeClass(size); again != class || same != size {
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
	if class, _ := sizeClass(math.MaxInt / 2); class >= len(buffers64) {
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
