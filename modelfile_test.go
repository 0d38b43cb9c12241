package coles_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"testing"
	"testing/iotest"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// tinyModels are models of a few hundred numbers, one for each layout of the file.
func tinyModels() map[string][]byte {
	g := must(coles.NewGraph(5, edges(0, 1, 1, 2, 2, 3, 3, 0), coles.WithIDs([]string{"a", "b", "c", "d", "e"})))
	x := mat.NewDense(5, 3, []float64{1, 0, 0, 0, 2, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1})
	files := make(map[string][]byte)
	for name, opts := range map[string][]coles.Option{
		"tfidf":        {coles.WithFeatures(coles.PrepareTFIDF)},
		"standardized": {coles.WithFeatures(coles.PrepareStandardize)},
		"plain":        {coles.WithFeatures(coles.PrepareNone), coles.WithNegatives(coles.UniformNegatives(2))},
	} {
		files[name] = modelBytes(must(coles.Fit(ctx, g, x, opts...)))
	}
	files["no features"] = modelBytes(must(coles.Fit(ctx, g, nil, coles.WithDim(2))))
	return files
}

func modelBytes(m *coles.Model) []byte {
	var b bytes.Buffer
	n := must(m.WriteTo(&b))
	if n != int64(b.Len()) {
		panic("WriteTo counts other bytes than it writes")
	}
	return b.Bytes()
}

func TestModelFileKeepsEverything(t *testing.T) {
	g, words, _ := small(91)
	for _, c := range modelCases {
		t.Run(c.name, func(t *testing.T) {
			m := fitSmall(t, 91, c.none, c.opts...)
			file := modelBytes(m)
			read := must(coles.ReadModel(bytes.NewReader(file)))
			if !bytes.Equal(modelBytes(read), file) {
				t.Error("written again it has other bytes")
			}
			var x mat.Matrix = words
			if c.none {
				x = nil
				wantSame(t, "embedding", bits(read.Embedding()), bits(m.Embedding()))
			} else {
				wantSame(t, "P", bits(read.Projection()), bits(m.Projection()))
			}
			wantSame(t, "Embed", bits(must(read.Embed(ctx, g, x))), bits(must(m.Embed(ctx, g, x))))
			wantSame(t, "λ", read.Lambda(), m.Lambda())
			wantSame(t, "scaling", read.Scaling(), m.Scaling())
			report := m.Report()
			report.Seconds = coles.StageSeconds{}
			wantSame(t, "report", read.Report(), report)
			wantSame(t, "ids", read.IDs(), m.IDs())
			// A model is read to its last byte and no further.
			rest := bytes.NewReader(append(bytes.Clone(file), "what follows"...))
			must(coles.ReadModel(rest))
			wantSame(t, "rest", string(must(io.ReadAll(rest))), "what follows")
		})
	}
}

func TestTheSameFitIsTheSameFile(t *testing.T) {
	for _, c := range modelCases {
		if first, second := modelBytes(fitSmall(t, 91, c.none, c.opts...)), modelBytes(fitSmall(t, 91, c.none, c.opts...)); !bytes.Equal(first, second) {
			t.Errorf("%s: two fits are written differently", c.name)
		}
	}
}

// Names are bytes: those that are no UTF-8, which JSON cannot hold, come back too.
func TestNamesOfAnyBytes(t *testing.T) {
	names := []string{"caf\xe9", "caf\xff", "plain", ""}
	g := must(coles.NewGraph(4, edges(0, 1, 1, 2, 2, 3), coles.WithIDs(names)))
	m := must(coles.Fit(ctx, g, mat.NewDense(4, 2, []float64{1, 0, 0, 1, 1, 1, 2, 1})))
	wantSame(t, "ids", must(coles.ReadModel(bytes.NewReader(modelBytes(m)))).IDs(), names)
}

func TestDamagedModelIsAnError(t *testing.T) {
	for name, file := range tinyModels() {
		t.Run(name, func(t *testing.T) {
			for length := range file {
				_, err := coles.ReadModel(bytes.NewReader(file[:length]))
				if !errors.Is(err, coles.ErrChecksum) && !errors.Is(err, coles.ErrFormat) {
					t.Fatalf("cut off after %d of %d bytes: %v", length, len(file), err)
				}
			}
			for at := range file {
				for _, flip := range []byte{0x01, 0x80, 0xff} {
					damaged := bytes.Clone(file)
					damaged[at] ^= flip
					_, err := coles.ReadModel(bytes.NewReader(damaged))
					if !errors.Is(err, coles.ErrChecksum) && !errors.Is(err, coles.ErrFormat) {
						t.Fatalf("byte %d of %d xor %#x: %v", at, len(file), flip, err)
					}
				}
			}
		})
	}
}

func TestFailingReaderAndWriterAreReported(t *testing.T) {
	broken := errors.New("the cable came out")
	for name, file := range tinyModels() {
		m := must(coles.ReadModel(iotest.OneByteReader(bytes.NewReader(file))))
		for at := range len(file) {
			_, err := coles.ReadModel(io.MultiReader(bytes.NewReader(file[:at]), iotest.ErrReader(broken)))
			if !errors.Is(err, broken) {
				t.Fatalf("%s: reader fails at byte %d: %v", name, at, err)
			}
			n, err := m.WriteTo(&limitedWriter{left: at, err: broken})
			if !errors.Is(err, broken) || n != int64(at) {
				t.Fatalf("%s: writer fails at byte %d: %d bytes, %v", name, at, n, err)
			}
			if _, err = m.WriteTo(&limitedWriter{left: at}); !errors.Is(err, io.ErrShortWrite) {
				t.Fatalf("%s: writer stops without an error at byte %d: %v", name, at, err)
			}
		}
	}
}

// A limitedWriter takes so many bytes and then fails.
type limitedWriter struct {
	left int
	err  error
}

func (w *limitedWriter) Write(p []byte) (int, error) {
	if len(p) <= w.left {
		w.left -= len(p)
		return len(p), nil
	}
	n := w.left
	w.left = 0
	return n, w.err
}

// assemble builds a file from a header and numbers, with a right checksum.
func assemble(version uint32, header []byte, numbers []byte) []byte {
	file := []byte("COLESMDL")
	file = binary.LittleEndian.AppendUint32(file, version)
	file = binary.LittleEndian.AppendUint64(file, uint64(len(header)))
	file = append(append(file, header...), numbers...)
	sum := sha256.Sum256(file)
	return append(file, sum[:]...)
}

// parts takes a file apart.
func parts(file []byte) (header map[string]any, numbers []byte) {
	length := binary.LittleEndian.Uint64(file[12:])
	if err := json.Unmarshal(file[20:20+length], &header); err != nil {
		panic(err)
	}
	return header, file[20+length : len(file)-sha256.Size]
}

// These files have right checksums: what they say is wrong.
func TestModelThatContradictsItself(t *testing.T) {
	files := tinyModels()
	for _, c := range []struct {
		name, of string
		version  uint32
		change   func(h map[string]any)
	}{
		{"version to come", "tfidf", 3, func(map[string]any) {}},
		{"version 0", "tfidf", 0, func(map[string]any) {}},
		{"negative dim", "tfidf", 2, func(h map[string]any) { h["dim"] = -1 }},
		{"another dim", "tfidf", 2, func(h map[string]any) { h["dim"] = 2 }},
		{"negative columns", "tfidf", 2, func(h map[string]any) { h["columns"] = -3 }},
		{"no columns", "tfidf", 2, func(h map[string]any) { h["columns"] = 0 }},
		{"fewer arrays", "tfidf", 2, func(h map[string]any) { h["lengths"] = []int{3, 3} }},
		{"negative length", "tfidf", 2, func(h map[string]any) { h["lengths"] = []int{-3, 3, 9, 3, 0} }},
		{"unresolved preparation", "tfidf", 2, func(h map[string]any) { h["preparation"] = "auto" }},
		{"another preparation", "tfidf", 2, func(h map[string]any) { h["preparation"] = "standardize" }},
		{"unheard preparation", "tfidf", 2, func(h map[string]any) { h["preparation"] = "whiten" }},
		{"more columns than features", "tfidf", 2, func(h map[string]any) { h["settings"].(map[string]any)["dim"] = 100 }},
		{"bad setting", "plain", 2, func(h map[string]any) { h["settings"].(map[string]any)["kappa"] = -1 }},
		{"no filter", "plain", 2, func(h map[string]any) {
			h["settings"].(map[string]any)["filter"] = map[string]any{"name": "SGC(2)", "coefficients": []float64{}}
		}},
		{"too few names", "plain", 2, func(h map[string]any) { h["names"] = []string{"a"} }},
		{"a name twice", "plain", 2, func(h map[string]any) { h["names"] = []string{"a", "b", "c", "d", "a"} }},
		{"no nodes", "plain", 2, func(h map[string]any) { h["report"].(map[string]any)["graph"] = map[string]any{"Nodes": 0} }},
		{"short fingerprint", "no features", 2, func(h map[string]any) { h["fingerprint"] = "abc" }},
		{"fingerprint not hexadecimal", "no features", 2, func(h map[string]any) {
			h["fingerprint"] = "zz" + h["fingerprint"].(string)[2:]
		}},
		{"a short hash", "plain", 2, func(h map[string]any) { h["input"].(map[string]any)["graph"] = "abc" }},
		{"a hash not hexadecimal", "plain", 2, func(h map[string]any) { h["input"].(map[string]any)["features"] = "0123456789abcdeg" }},
		{"an unheard setting", "plain", 2, func(h map[string]any) { h["settings"].(map[string]any)["temperature"] = 1 }},
		{"more nodes than rows", "no features", 2, func(h map[string]any) {
			h["report"].(map[string]any)["graph"] = map[string]any{"Nodes": 6}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			header, numbers := parts(files[c.of])
			c.change(header)
			_, err := coles.ReadModel(bytes.NewReader(assemble(c.version, must(json.Marshal(header)), numbers)))
			wantError(t, err, coles.ErrFormat)
		})
	}
	header, numbers := parts(files["plain"])
	copy(numbers[8:], []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x7f}) // a NaN
	_, err := coles.ReadModel(bytes.NewReader(assemble(2, must(json.Marshal(header)), numbers)))
	wantError(t, err, coles.ErrFormat)
	_, err = coles.ReadModel(bytes.NewReader([]byte("PK\x03\x04 something else altogether")))
	wantError(t, err, coles.ErrFormat)
}

func TestDeclaredSizesTakeNoMemory(t *testing.T) {
	header, _ := parts(tinyModels()["plain"])
	const huge = 1<<31 - 1
	header["dim"], header["columns"] = huge, huge
	header["lengths"] = []int64{huge, huge, huge * huge, 0, 0}
	wide := assemble(2, must(json.Marshal(header)), nil)
	long := append([]byte("COLESMDL\x02\x00\x00\x00"), 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0)
	for name, file := range map[string][]byte{"numbers": wide, "header": long, "header beyond an int": append(long[:12:12], bytes.Repeat([]byte{0xff}, 8)...)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := coles.ReadModel(bytes.NewReader(file))
		runtime.ReadMemStats(&after)
		if !errors.Is(err, coles.ErrChecksum) && !errors.Is(err, coles.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
			t.Errorf("%s: %d bytes taken for a file of %d", name, took, len(file))
		}
	}
}

// The checksum keeps a fuzzer out: every input is also tried with a right one.
// What can be read can be used, and is written as it was read.
func FuzzReadModel(f *testing.F) {
	for _, file := range tinyModels() {
		f.Add(file)
		f.Add(file[:len(file)-sha256.Size])
		header, numbers := parts(file)
		header["dim"] = 1
		f.Add(assemble(2, must(json.Marshal(header)), numbers[:32]))
	}
	g := must(coles.NewGraph(5, edges(0, 1, 1, 2, 2, 3, 3, 0)))
	f.Fuzz(func(t *testing.T, file []byte) {
		sum := sha256.Sum256(file)
		for _, b := range [][]byte{file, append(bytes.Clone(file), sum[:]...)} {
			m, err := coles.ReadModel(bytes.NewReader(b))
			if err != nil {
				continue
			}
			first := modelBytes(m)
			if again := modelBytes(must(coles.ReadModel(bytes.NewReader(first)))); !bytes.Equal(again, first) {
				t.Error("reading and writing changes the model")
			}
			m.IDs()
			_ = m.Report().String()
			m.Embed(ctx, g, nil)
			if p := m.Projection(); p != nil && m.Settings().Filter.Hops() < 50 {
				_, d := p.Dims()
				if d > 0 && d < 100 {
					m.Embed(ctx, g, mat.NewDense(5, d, nil))
				}
			}
		}
	})
}
