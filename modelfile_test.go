package coles_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// tinyModels are files of a few hundred numbers, one for each layout.
func tinyModels() map[string][]byte {
	ids := coles.WithIDs([]string{"a", "b", "c", "d", "e"})
	g := testkit.Must(coles.NewGraph(5, edges(0, 1, 1, 2, 2, 3, 3, 0), ids))
	x := mat.NewDense(5, 3, []float64{1, 0, 0, 0, 2, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1})
	files := map[string][]byte{"no features": modelBytes(fitted(g, nil, coles.WithDim(2)))}
	graph := coles.With(func(s *coles.Settings) { s.Kind = coles.UseGraph })
	for name, opts := range map[string][]coles.Option{
		"features":     {coles.With(func(s *coles.Settings) { s.Kind = coles.UseFeatures })},
		"graph":        {graph, coles.WithDim(2)},
		"tfidf":        {graph, coles.With(func(s *coles.Settings) { s.Preparation = coles.PrepareTFIDF })},
		"standardized": {coles.With(func(s *coles.Settings) { s.Preparation = coles.PrepareStandardize })},
		"plain": {coles.With(func(s *coles.Settings) {
			s.Preparation = coles.PrepareNone
			s.Negatives, s.Kappa, s.Eta = coles.UniformNegatives(2), 1, 1
		})},
	} {
		files[name] = modelBytes(fitted(g, x, opts...))
	}
	return files
}

func TestModelFileKeepsEverything(t *testing.T) {
	for name, c := range modelCases {
		t.Run(name, func(t *testing.T) {
			m, g, x := smallFit(91, c.none, c.opts...)
			file := modelBytes(m)
			again, _, _ := smallFit(91, c.none, c.opts...)
			back := read(m)
			if !bytes.Equal(modelBytes(again), file) || !bytes.Equal(modelBytes(back), file) {
				t.Error("fitted or read again it has other bytes")
			}
			testkit.WantSame(t, "Embed", testkit.Bits(testkit.Must(back.Embed(ctx, g, x))), testkit.Bits(testkit.Must(m.Embed(ctx, g, x))))
			testkit.WantSame(t, "λ", back.Parts()[0].Lambda, m.Parts()[0].Lambda)
			testkit.WantSame(t, "scaling", back.Parts()[0].Scaling, m.Parts()[0].Scaling)
			report := m.Report()
			report.Seconds = coles.Report{}.Seconds
			testkit.WantSame(t, "report", back.Report(), report)
			testkit.WantSame(t, "settings", string(testkit.Must(json.Marshal(back.Settings()))), string(testkit.Must(json.Marshal(m.Settings()))))
			// The settings that it keeps make the model again.
			refit := []coles.Option{coles.WithSettings(back.Settings())}
			again, _, _ = smallFit(91, c.none, refit...)
			testkit.WantSame(t, "fitted again", testkit.Bits(again.Embedding()), testkit.Bits(m.Embedding()))
			// A model is read to its last byte and no further.
			rest := bytes.NewReader(append(bytes.Clone(file), "what follows"...))
			testkit.Must(coles.ReadModel(rest))
			testkit.WantSame(t, "rest", string(testkit.Must(io.ReadAll(rest))), "what follows")
		})
	}
}

// The hash follows every number that makes vectors, and nothing else: λ is one of those that do not.
func TestHashOfAModel(t *testing.T) {
	known := map[string]string{}
	for name, c := range modelCases {
		m, _, _ := smallFit(91, c.none, c.opts...)
		again, _, _ := smallFit(91, c.none, append(c.opts, coles.With(func(s *coles.Settings) { s.Solver = m.Report().Solver }))...)
		testkit.WantSame(t, name+": read", read(m).Hash(), m.Hash())
		testkit.WantSame(t, name+": by the solver that it took", again.Hash(), m.Hash())
		if other, ok := known[m.Hash()]; ok {
			t.Errorf("%s and %s have one hash", name, other)
		}
		known[m.Hash()] = name
	}
	for name, file := range tinyModels() {
		m := testkit.Must(coles.ReadModel(bytes.NewReader(file)))
		header, numbers := parts(file)
		text := testkit.Must(json.Marshal(header))
		for at := 0; at < len(numbers); at += 8 {
			if name == "no features" && at/8 >= 12 { // which are of float32
				break
			}
			numbers[at] ^= 1 // the last bit of a number
			changed := testkit.Must(coles.ReadModel(bytes.NewReader(assemble(4, text, numbers)))).Hash() != m.Hash()
			numbers[at] ^= 1
			if isLambda := at/8 < len(m.Parts()[0].Lambda); changed == isLambda {
				t.Errorf("%s, number %d, one of λ: %v: the hash changes: %v", name, at/8, isLambda, changed)
			}
		}
	}
	m, _, _ := smallFit(91, false, coles.With(func(s *coles.Settings) { s.Filter, s.Kind = coles.S2GCSum(2), coles.UseGraph }))
	header, numbers := parts(modelBytes(m))
	first(header)["settings"].(map[string]any)["filter"] = "s2gcsum:3"
	file := assemble(4, testkit.Must(json.Marshal(header)), numbers)
	if testkit.Must(coles.ReadModel(bytes.NewReader(file))).Hash() == m.Hash() {
		t.Error("another filter has the same hash")
	}
}

// Names are bytes: those that are no UTF-8, which JSON cannot hold, come back too.
func TestModelKeepsIDs(t *testing.T) {
	for _, names := range [][]string{{"ant", "bee", "cat", "dog"}, {"caf\xe9", "caf\xff", "plain", ""}, nil} {
		var opts []coles.GraphOption
		want := []string{"0", "1", "2", "3"}
		if names != nil {
			opts, want = []coles.GraphOption{coles.WithIDs(names)}, names
		}
		m := fitted(testkit.Must(coles.NewGraph(4, edges(0, 1, 1, 2, 2, 3), opts...)), testkit.Eye(4))
		testkit.WantSame(t, "ids", m.IDs(), want)
		testkit.WantSame(t, "ids read", read(m).IDs(), want)
	}
}

// wantBroken wants one of the two errors that broken files have.
func wantBroken(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, coles.ErrChecksum) && !errors.Is(err, coles.ErrFormat) {
		t.Fatalf("%s: %v", what, err)
	}
}

func TestDamagedModelIsAnError(t *testing.T) {
	for name, file := range tinyModels() {
		t.Run(name, func(t *testing.T) {
			for length := range file {
				wantBroken(t, "cut off", testkit.Err(coles.ReadModel(bytes.NewReader(file[:length]))))
			}
			for at := range file {
				for _, flip := range []byte{0x01, 0x80, 0xff} {
					damaged := bytes.Clone(file)
					damaged[at] ^= flip
					wantBroken(t, "a byte is another", testkit.Err(coles.ReadModel(bytes.NewReader(damaged))))
				}
			}
		})
	}
	testkit.WantError(t, testkit.Err(coles.ReadModel(bytes.NewReader([]byte("PK\x03\x04 something else altogether")))), coles.ErrFormat)
}

// assemble builds a file from a header and numbers, with a right checksum.
func assemble(version uint32, header, numbers []byte) []byte {
	file := binary.LittleEndian.AppendUint32([]byte("COLESMDL"), version)
	file = binary.LittleEndian.AppendUint64(file, uint64(len(header)))
	file = append(append(file, header...), numbers...)
	sum := sha256.Sum256(file)
	return append(file, sum[:]...)
}

// first is the header of the first part.
func first(header map[string]any) map[string]any {
	return header["parts"].([]any)[0].(map[string]any)
}

// parts takes a file apart.
func parts(file []byte) (header map[string]any, numbers []byte) {
	length := binary.LittleEndian.Uint64(file[12:])
	if err := json.Unmarshal(file[20:20+length], &header); err != nil {
		panic(err)
	}
	return header, file[20+length : len(file)-sha256.Size]
}

// These files have right checksums and wrong contents.
func TestModelThatContradictsItself(t *testing.T) {
	files := tinyModels()
	files["older"] = testkit.Must(os.ReadFile("testdata/version3/degrees.model"))
	within := func(member string, key string, value any) func(h map[string]any) {
		return func(h map[string]any) {
			if member == "settings" {
				h = first(h)
			}
			h[member].(map[string]any)[key] = value
		}
	}
	with := func(key string, value any) func(h map[string]any) {
		return func(h map[string]any) { h[key] = value }
	}
	part := func(key string, value any) func(h map[string]any) {
		return func(h map[string]any) { first(h)[key] = value }
	}
	for name, c := range map[string]struct {
		of     string
		change func(h map[string]any)
	}{
		"another dim":                {"tfidf", part("dim", 2)},
		"negative columns":           {"tfidf", part("columns", -3)},
		"no columns":                 {"tfidf", part("columns", 0)},
		"fewer arrays":               {"tfidf", with("lengths", []int{3, 3})},
		"negative length":            {"tfidf", with("lengths", []int{-3, 3, 9, 3, 0})},
		"unresolved preparation":     {"tfidf", part("preparation", "auto")},
		"another preparation":        {"tfidf", part("preparation", "standardize")},
		"more columns than features": {"tfidf", within("settings", "dim", 100)},
		"bad setting":                {"plain", within("settings", "kappa", -1)},
		"no filter":                  {"plain", within("settings", "filter", "none")},
		"a filter to be chosen":      {"plain", within("settings", "filter", "auto")},
		"an unheard setting":         {"plain", within("settings", "temperature", 1)},
		"a name twice":               {"plain", with("names", []string{"a", "b", "c", "d", "a"})},
		"no nodes":                   {"plain", within("report", "graph", map[string]any{"nodes": 0})},
		"more nodes than rows":       {"no features", within("report", "graph", map[string]any{"nodes": 6})},
		"a power beyond numbers":     {"plain", part("power", json.Number("1e999"))},
		"a structure of features":    {"plain", part("known", 5)},
		"more known than nodes":      {"no features", part("known", 6)},
		"degrees that are not there": {"tfidf", part("degrees", true)},
		"no degrees":                 {"older", part("degrees", false)},
		"degrees in no column":       {"older", func(h map[string]any) { first(h)["dim"], h["lengths"] = 0, []int{-1, 0, 0, 4, 4} }},
		"a model of no kind":         {"plain", within("settings", "kind", "graphs")},
		"a model to be chosen":       {"plain", within("settings", "kind", "auto")},
		"another by the report":      {"plain", within("report", "kind", "features")},
		"features of none":           {"no features", within("settings", "kind", "features")},
	} {
		t.Run(name, func(t *testing.T) {
			header, numbers := parts(files[c.of])
			c.change(header)
			_, err := coles.ReadModel(bytes.NewReader(assemble(4, testkit.Must(json.Marshal(header)), numbers)))
			testkit.WantError(t, err, coles.ErrFormat)
		})
	}
	header, numbers := parts(files["plain"])
	text := testkit.Must(json.Marshal(header))
	testkit.Must(coles.ReadModel(bytes.NewReader(assemble(4, text, numbers)))) // as it is, it can be read
	for _, version := range []uint32{0, 1, 5} {
		testkit.WantError(t, testkit.Err(coles.ReadModel(bytes.NewReader(assemble(version, text, numbers)))), coles.ErrFormat)
	}
	header, numbers = parts(files["no features"])
	binary.LittleEndian.PutUint64(numbers[len(numbers)-8:], math.Float64bits(-1e39)) // of the encoder, which has 32 bits
	testkit.WantError(t, testkit.Err(coles.ReadModel(bytes.NewReader(assemble(4, testkit.Must(json.Marshal(header)), numbers)))), coles.ErrFormat)
	_, numbers = parts(files["plain"])
	copy(numbers[8:], []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x7f}) // a NaN
	testkit.WantError(t, testkit.Err(coles.ReadModel(bytes.NewReader(assemble(4, text, numbers)))), coles.ErrFormat)
}

// Files of version 2, whose parts are models in one another and which may call a kind a model, are read as the models they are.
// The hashes and first numbers are those of the version that wrote the files.
func TestModelFilesOfVersion2(t *testing.T) {
	arcs, weights := circle(60)
	weights[0] = 1000
	plain := testkit.Must(coles.NewGraph(60, arcs, coles.WithWeights(weights)))
	directed := testkit.Must(coles.NewGraph(60, arcs, coles.WithWeights(weights), coles.WithArcs()))
	x := testkit.RandomDense(testkit.Random(1), 60, 6)
	for name, c := range map[string]struct {
		g     *coles.Graph
		x     mat.Matrix
		parts int
		hash  string
		y     []float64
		off   float64 // by the rounding of features, that a graph makes in float32, which other kernels add up otherwise
	}{
		"features":  {plain, x, 1, "921eaea353a77fae", []float64{-1.9257335234361144, 1.1704061207826508, -2.2322365330071916}, 1e-9},
		"none":      {plain, nil, 1, "a2b3d8040c8aa590", []float64{-2.71433378965971, -0.5719586962520279, 1.28844926550299}, 1e-6},
		"structure": {plain, x, 2, "d10930b0ccc6fa57", []float64{-1.2681574054305724, 0.7707500395918757, -1.4699994861981993}, 1e-6},
		"roles":     {directed, x, 3, "0880f1ed0016f7be", []float64{-1.2360469427578311, 0.7512342127155379, -1.432778267894869}, 1e-6},
	} {
		file := testkit.Must(os.ReadFile("testdata/version2/" + name + ".model"))
		m := testkit.Must(coles.ReadModel(bytes.NewReader(file)))
		testkit.WantSame(t, name+": parts", len(m.Parts()), c.parts)
		testkit.WantSame(t, name+": hash", m.Hash(), c.hash)
		testkit.WantSame(t, name+": written and read", modelBytes(read(m)), modelBytes(m))
		y := testkit.Must(m.Embed(ctx, c.g, c.x))
		testkit.WantClose(t, name+": vectors", y.Slice(0, 1, 0, 3), mat.NewDense(1, 3, c.y), c.off)
		header, numbers := parts(file)
		for _, of := range []string{"settings", "report"} {
			h := header[of].(map[string]any)
			h["model"] = h["kind"]
			delete(h, "kind")
		}
		older := testkit.Must(coles.ReadModel(bytes.NewReader(assemble(2, testkit.Must(json.Marshal(header)), numbers))))
		testkit.WantSame(t, name+": of the older name", modelBytes(older), modelBytes(m))
		if c.parts == 3 { // vectors of one graph were of two lengths
			header["beside"].(map[string]any)["roles"] = header["roles"]
			err := testkit.Err(coles.ReadModel(bytes.NewReader(assemble(2, testkit.Must(json.Marshal(header)), numbers))))
			testkit.WantError(t, err, coles.ErrFormat)
			testkit.WantText(t, err.Error(), "fit again")
		}
	}
}

// A file of version 3, whose last column tells degrees and has no eigenvalue, embeds as the version that wrote it did: the hash and
// the numbers are of that.
func TestModelFileOfVersion3(t *testing.T) {
	arcs, weights := circle(60)
	weights[0] = 1000
	g := testkit.Must(coles.NewGraph(60, arcs, coles.WithWeights(weights)))
	x := testkit.RandomDense(testkit.Random(1), 60, 4)
	for i, degree := range g.Degrees() {
		x.Set(i, 0, x.At(i, 0)+degree/20)
	}
	m := testkit.Must(coles.ReadModel(bytes.NewReader(testkit.Must(os.ReadFile("testdata/version3/degrees.model")))))
	testkit.WantSame(t, "hash", m.Hash(), "a224081a25da1c61")
	testkit.WantSame(t, "rows of P", m.P().RawMatrix().Rows, 3)
	for _, m := range []*coles.Model{m, read(m)} {
		testkit.WantClose(t, "vectors", testkit.Must(m.Embed(ctx, g, x)).Slice(0, 2, 0, 4), mat.NewDense(2, 4, []float64{
			-0.3405911683736415, 1.675982495800598, -2.106243732390311, -0.1915817014094338,
			0.17657190168648496, 2.6015400441870193, -0.23153261689017238, 0.14580363207255032,
		}), 1e-12)
	}
}

// The checksum keeps a fuzzer out: every input is also tried with a right one. What can be read can
// be used, and is written as it was read.
func FuzzReadModel(f *testing.F) {
	for _, file := range tinyModels() {
		f.Add(file)
		f.Add(file[:len(file)-sha256.Size])
		header, numbers := parts(file)
		first(header)["dim"] = 1
		f.Add(assemble(4, testkit.Must(json.Marshal(header)), numbers[:32]))
	}
	g := graphOf(5, 0, 1, 1, 2, 2, 3, 3, 0)
	f.Fuzz(func(t *testing.T, file []byte) {
		sum := sha256.Sum256(file)
		for _, b := range [][]byte{file, append(bytes.Clone(file), sum[:]...)} {
			m, err := coles.ReadModel(bytes.NewReader(b))
			if err != nil {
				continue
			}
			first := modelBytes(m)
			if again := modelBytes(read(m)); !bytes.Equal(again, first) {
				t.Error("reading and writing changes the model")
			}
			m.IDs()
			_ = m.Report().String()
			p := m.P()
			if p == nil {
				m.Embed(ctx, g, nil)
				continue
			}
			if _, d := p.Dims(); d > 0 && d < 100 && m.Settings().Filter.Hops() < 50 {
				m.Embed(ctx, g, mat.NewDense(5, d, nil))
			}
		}
	})
}

// A model of an embedding beside numbers keeps what is which.
func TestModelKeepsItsBlocks(t *testing.T) {
	const n, d = 90, 40
	x := testkit.RandomDense(testkit.Random(81), n, d)
	x.Apply(func(_, j int, v float64) float64 {
		if j >= 36 {
			return 1e6 * v
		}
		return v / float64(j+1)
	}, x)
	g := sparseGraph(82, n, 3*n)
	m := fitted(g, x, coles.WithDim(5), coles.WithPrecision(coles.Float64))
	testkit.WantSame(t, "preparation", m.Report().Preparation, coles.PrepareVectors)
	again := read(m)
	testkit.WantSame(t, "hash", again.Hash(), m.Hash())
	testkit.WantSame(t, "embedding", testkit.Bits(testkit.Must(again.Embed(ctx, g, x))), testkit.Bits(m.Embedding()))
}
