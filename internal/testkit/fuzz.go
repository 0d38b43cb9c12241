package testkit

import "testing"

// A Script is the bytes of a fuzzer, read as choices; past its end it is zeros.
type Script []byte

// Byte is the next byte.
func (s *Script) Byte() int {
	if len(*s) == 0 {
		return 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return int(b)
}

// AddScripts gives a fuzzer some scripts to begin with, the k-th of least + step·k bytes.
func AddScripts(f *testing.F, scripts, least, step int) {
	for k := range scripts {
		rng := Random(uint64(k))
		b := make([]byte, least+step*k)
		for i := range b {
			b[i] = byte(rng.IntN(256))
		}
		f.Add(b)
	}
}
