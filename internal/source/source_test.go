package source

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"coles"
)

func packed(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	return b.Bytes()
}

// What unpacks within the budget arrives whole; of the rest no more than the budget is given.
func TestUnpackedKeepsTheBudget(t *testing.T) {
	const free = 1 << 20
	zeros := make([]byte, 4*free)
	chance := rand.NewChaCha8([32]byte{})
	random := make([]byte, 4*free)
	chance.Read(random)
	for _, c := range []struct {
		name string
		data []byte
		size int64 // declared
		want error
	}{
		{"a bomb", zeros, 0, coles.ErrTooLarge},
		{"zeros within the free bytes", zeros[:free], 0, nil},
		{"zeros of a file known to be large", zeros, free, nil},
		{"zeros after the bytes that vouch for them", append(random[:free/16:free/16], zeros...), 0, nil},
		{"random bytes", random, 0, nil},
	} {
		file := packed(c.data)
		for _, r := range []io.Reader{bytes.NewReader(file), iotest.HalfReader(bytes.NewReader(file))} {
			u, err := Unpacked(bufio.NewReader(r), free, c.size)
			if err != nil {
				t.Fatal(c.name, err)
			}
			got, err := io.ReadAll(u)
			switch {
			case !errors.Is(err, c.want):
				t.Errorf("%s: error %v, want %v", c.name, err, c.want)
			case !bytes.HasPrefix(c.data, got):
				t.Errorf("%s: other bytes", c.name)
			case err == nil && len(got) != len(c.data):
				t.Errorf("%s: %d bytes of %d", c.name, len(got), len(c.data))
			case int64(len(got)) > Budget(free, max(c.size, int64(len(file)))):
				t.Errorf("%s: %d bytes", c.name, len(got))
			}
		}
	}
}
