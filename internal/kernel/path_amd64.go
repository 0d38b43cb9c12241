//go:build !noasm

package kernel

import "golang.org/x/sys/cpu"

var (
	pathAVX512 = path{
		name:   "avx512",
		double: shape{rows: 8, lanes: 8, vecs: 3, maskedVecs: 3},
		single: shape{rows: 8, lanes: 16, vecs: 3, maskedVecs: 3},
	}
	pathAVX2 = path{
		name:   "avx2",
		double: shape{rows: 4, lanes: 4, vecs: 3, maskedVecs: 2},
		single: shape{rows: 4, lanes: 8, vecs: 3, maskedVecs: 2},
	}
)

// available lists the paths that this machine supports, the best first.
func available() []*path {
	list := []*path{&portable}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI2 {
		list = append([]*path{&pathAVX2}, list...)
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL {
			list = append([]*path{&pathAVX512}, list...)
		}
	}
	return list
}
