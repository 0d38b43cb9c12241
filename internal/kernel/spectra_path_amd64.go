//go:build !noasm

package kernel

// sturm is SturmCounts of a matrix that is not empty.
func (p *path) sturm(d, squares []float64, x *[SturmLanes]float64, pivot float64, count *[SturmLanes]int64) {
	switch p {
	case &pathAVX512:
		sturmFloat64AVX512(len(d), &d[0], &squares[0], &x[0], pivot, &count[0])
	case &pathAVX2:
		sturmFloat64AVX2(len(d), &d[0], &squares[0], &x[0], pivot, &count[0])
	default:
		portableSturm(d, squares, x, pivot, count)
	}
}

// rank2 is Rank2 of a block that is not empty.
func (p *path) rank2(c []float64, stride, skip int, a, b, x, y []float64) {
	switch p {
	case &pathAVX512:
		rank2Float64AVX512(len(a), len(x), &c[0], stride, skip, &a[0], &b[0], &x[0], &y[0])
	case &pathAVX2:
		rank2Float64AVX2(len(a), len(x), &c[0], stride, skip, &a[0], &b[0], &x[0], &y[0])
	default:
		portableRank2(c, stride, skip, a, b, x, y)
	}
}
