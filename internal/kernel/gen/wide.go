package main

import "fmt"

// wideTile is the kernel of the product of float32 matrices into a float64
// one: the terms of one call are summed in float32, the calls in float64.
func wideTile(w *writer) {
	w.begin("computes c = alpha·a·b + beta·c for one tile of a product, a·b in float32 and the rest in float64. "+
		"Strides count numbers. With beta = 0 c is not read.", "tileWide",
		"rows int", "cols int", "k int", "a *T", "aRow int", "aStep int",
		"b *T", "bStep int", "c *float64", "cRow int", "alpha float64", "beta float64")
	w.tileBody(float64s.size, w.writeWideRow)
}

// writeWideRow writes each vector of float32 as two of float64.
func (w *writer) writeWideRow(s shape, r int, add bool) {
	alpha := s.rows * s.vecs // as in writeRow
	beta, old, upper := alpha+1, alpha+2, alpha+3
	halfMask := w.halfMasks(s, r, alpha+4)
	if r == 0 {
		w.op("VBROADCASTSD", w.arg("alpha"), w.vec(alpha))
		if add {
			w.op("VBROADCASTSD", w.arg("beta"), w.vec(beta))
		}
	}
	for v := range s.vecs {
		sum := r*s.vecs + v
		w.op(w.extract, 1, w.vec(sum), w.half(upper))
		w.op("VCVTPS2PD", w.half(upper), w.vec(upper))
		w.op("VCVTPS2PD", w.half(sum), w.vec(sum))
		for h, part := range []int{sum, upper} {
			c := at((2*v+h)*w.bytes, "DX")
			mask := ""
			if s.masked && v == s.vecs-1 {
				mask = halfMask[h]
			}
			if !add {
				w.op("VMULPD", w.vec(part), w.vec(alpha), w.vec(old))
				w.storeDoubles(old, c, mask)
				continue
			}
			w.loadDoubles(c, old, mask)
			w.op("VMULPD", w.vec(old), w.vec(beta), w.vec(old))
			w.op("VFMADD231PD", w.vec(part), w.vec(alpha), w.vec(old))
			w.storeDoubles(old, c, mask)
		}
	}
}

// half is the lower half of vector register i.
func (w *writer) half(i int) string {
	if w.masks {
		return fmt.Sprintf("Y%d", i)
	}
	return fmt.Sprintf("X%d", i)
}

// halfMasks names the masks of both halves of a vector of float32, which are
// made before the first row, in vector registers from free on if need be.
func (w *writer) halfMasks(s shape, r, free int) [2]string {
	if !s.masked {
		return [2]string{}
	}
	if w.masks {
		if r == 0 {
			w.op("KSHIFTRW", 8, "K1", "K2")
		}
		return [2]string{"K1", "K2"}
	}
	if r == 0 {
		w.op("VPMOVSXDQ", w.half(maskReg), w.vec(free))
		w.op(w.extract, 1, w.vec(maskReg), w.half(free+1))
		w.op("VPMOVSXDQ", w.half(free+1), w.vec(free+1))
	}
	return [2]string{w.vec(free), w.vec(free + 1)}
}

func (w *writer) loadDoubles(from string, to int, mask string) {
	switch {
	case mask == "":
		w.op("VMOVUPD", from, w.vec(to))
	case w.masks:
		w.op("VMOVUPD.Z", from, mask, w.vec(to))
	default:
		w.op("VMASKMOVPD", from, mask, w.vec(to))
	}
}

func (w *writer) storeDoubles(from int, to, mask string) {
	switch {
	case mask == "":
		w.op("VMOVUPD", w.vec(from), to)
	case w.masks:
		w.op("VMOVUPD", w.vec(from), mask, to)
	default:
		w.op("VMASKMOVPD", w.vec(from), mask, to)
	}
}
