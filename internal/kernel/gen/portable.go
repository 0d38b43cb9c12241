package main

import (
	"bytes"
	"fmt"
	"go/format"
)

// portableTile is the Go file with the loop of the portable tile. It is written out because of the order in which the
// compiler schedules a loop. The compiler loads the next turn's numbers last, so that the products of the last step
// wait in memory for registers. Of eight steps only one does: one and a half times the speed of two.
func portableTile() []byte {
	const steps, rows, cols = 8, 4, 2
	var b bytes.Buffer
	step := func(p, q int) {
		fmt.Fprintf(&b, "b0, b1 = q[%d], q[%d]\n", q, q+1)
		for r := range rows {
			for c := range cols {
				fmt.Fprintf(&b, "s%d%d += p[%d] * b%d\n", r, c, p+r, c)
			}
		}
	}
	fmt.Fprintf(&b, `%s
package kernel

// fourByTwo sums the products of k packed columns of four numbers and rows of
// two.
func fourByTwo[S Float](k int, a, b []S) [4][2]S {
	var b0, b1, s00, s01, s10, s11, s20, s21, s30, s31 S
	for ; k >= %d; k -= %d {
		p, q := (*[%d]S)(a), (*[%d]S)(b)
`, generated, steps, steps, rows*steps, cols*steps)
	for l := range steps {
		step(l*rows, l*cols)
	}
	fmt.Fprintf(&b, `a, b = a[%d:], b[%d:]
	}
	for l := range k {
		p, q := (*[%d]S)(a[l*%d:]), (*[%d]S)(b[l*%d:])
`, rows*steps, cols*steps, rows, rows, cols, cols)
	step(0, 0)
	b.WriteString(`}
	return [4][2]S{{s00, s01}, {s10, s11}, {s20, s21}, {s30, s31}}
}
`)
	text, err := format.Source(b.Bytes())
	if err != nil {
		panic(err)
	}
	return text
}
