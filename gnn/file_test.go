package gnn

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// A file is a value that writes itself, its bytes, and their reader.
type file struct {
	of    io.WriterTo
	bytes []byte
	read  func(io.Reader) error
}

// files are one of each kind.
func files(t testing.TB) map[string]file {
	t.Helper()
	g, x := small(12)
	network := withNetwork(GCN(3))
	m := trained(t, g, x, network)
	c := checkpointsOf(t, g, x, network, WithValidation(2, 9, rising))[5]
	labels := make([]int, 40)
	labels[0], labels[2] = 7, 7
	k := testkit.Must(TrainClassifier(ctx, g, x, labels, []int{0, 1}, []int{2, 3}, withNetwork(GCN(AutoWidth)), withEpochs(2)))
	return map[string]file{
		"model":      {m, fileOf(m), func(r io.Reader) error { return testkit.Err(ReadModel(r)) }},
		"checkpoint": {c, fileOf(c), func(r io.Reader) error { return testkit.Err(ReadCheckpoint(r)) }},
		"classifier": {k, fileOf(k), func(r io.Reader) error { return testkit.Err(ReadClassifier(r)) }},
	}
}

// Every byte that is changed, and every byte at which a file ends, is found out; one kind is not read
// as another. Readers take no byte more, and return the error of their source, as writers do.
func TestDamagedFilesAreErrors(t *testing.T) {
	all := files(t)
	broken := errors.New("the cable came out")
	for name, f := range all {
		stream := strings.NewReader(string(f.bytes) + "rest")
		if err := f.read(iotest.OneByteReader(stream)); err != nil || stream.Len() != len("rest") {
			t.Fatalf("%s: %d bytes are left, %v", name, stream.Len(), err)
		}
		closed, w := io.Pipe()
		_ = closed.CloseWithError(broken) // which is nil
		if n, err := f.of.WriteTo(w); !errors.Is(err, broken) || n != 0 {
			t.Errorf("%s: the writer takes nothing: %d bytes, %v", name, n, err)
		}
		for at := range f.bytes {
			damaged := bytes.Clone(f.bytes)
			damaged[at] ^= 0x11
			for _, b := range [][]byte{f.bytes[:at], damaged} {
				if err := f.read(bytes.NewReader(b)); !errors.Is(err, coles.ErrFormat) && !errors.Is(err, coles.ErrChecksum) {
					t.Fatalf("%s, damaged at byte %d of %d: %v", name, at, len(f.bytes), err)
				}
			}
		}
		testkit.WantError(t, f.read(iotest.ErrReader(broken)), broken)
		for other, g := range all {
			if name != other {
				testkit.WantError(t, g.read(bytes.NewReader(f.bytes)), coles.ErrFormat)
			}
		}
	}
}

// Headers of a right checksum whose parts do not belong together are refused, and take no memory.
func TestHeadersThatDoNotFit(t *testing.T) {
	huge := min(1<<40, math.MaxInt)
	g, x := small(13)
	m := trained(t, g, x, withNetwork(GCN(3)))
	model := modelHeader{Settings: m.settings, Report: m.report, Prepare: m.prepare, Factor: 1}
	doctored := func(change func(h *modelHeader)) []byte {
		h := model
		change(&h)
		var b bytes.Buffer
		testkit.Must(modelFormat.Write(&b, h, m.params...))
		return b.Bytes()
	}
	c := checkpointsOf(t, g, x, withNetwork(GCN(3)))[2]
	doctoredCheckpoint := func(change func(h *checkpointHeader)) []byte {
		h := c.header
		change(&h)
		var b bytes.Buffer
		testkit.Must(checkpointFormat.Write(&b, h, slices.Concat(c.params, c.moments)...))
		return b.Bytes()
	}
	readModel := func(r io.Reader) error { return testkit.Err(ReadModel(r)) }
	readClassifier := func(r io.Reader) error { return testkit.Err(ReadClassifier(r)) }
	readCheckpoint := func(r io.Reader) error { return testkit.Err(ReadCheckpoint(r)) }
	for name, d := range map[string]struct {
		file []byte
		read func(io.Reader) error
	}{
		"2⁴⁰ features":          {doctored(func(h *modelHeader) { h.Report.Features = huge }), readModel},
		"fewer than no feature": {doctored(func(h *modelHeader) { h.Report.Features = -5 }), readModel},
		"a width of 2⁴⁰":        {doctored(func(h *modelHeader) { h.Settings.Network = Network{GCN(huge)} }), readModel},
		"a width to be found":   {doctored(func(h *modelHeader) { h.Settings.Network = Network{GCN(AutoWidth)} }), readModel},
		"no layers":             {doctored(func(h *modelHeader) { h.Settings.Network = nil }), readModel},
		"no preparer":           {doctored(func(h *modelHeader) { h.Prepare = nil }), readModel},
		"no factor":             {doctored(func(h *modelHeader) { h.Factor = 0 }), readModel},
		"a factor below 0":      {doctored(func(h *modelHeader) { h.Factor = -1 }), readModel},
		"classes of a model":    {doctored(func(h *modelHeader) { h.Classes = []int{1, 2, 3} }), readModel},
		"no classes":            {doctored(func(*modelHeader) {}), readClassifier},
		"too few classes":       {doctored(func(h *modelHeader) { h.Classes = []int{1, 2} }), readClassifier},
		"classes in no order":   {doctored(func(h *modelHeader) { h.Classes = []int{1, 3, 2} }), readClassifier},
		"no epoch":              {doctoredCheckpoint(func(h *checkpointHeader) { h.Epoch = 0 }), readCheckpoint},
		"fewer steps":           {doctoredCheckpoint(func(h *checkpointHeader) { h.Steps = []int{2} }), readCheckpoint},
		"the best to come":      {doctoredCheckpoint(func(h *checkpointHeader) { h.BestEpoch = 4 }), readCheckpoint},
		"no precision":          {doctoredCheckpoint(func(h *checkpointHeader) { h.Settings.Precision = 0 }), readCheckpoint},
		"checkpoint of 2⁴⁰":     {doctoredCheckpoint(func(h *checkpointHeader) { h.Features = huge }), readCheckpoint},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := d.read(bytes.NewReader(d.file))
			runtime.ReadMemStats(&after)
			testkit.WantError(t, err, coles.ErrFormat)
			if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<20 {
				t.Errorf("%d bytes taken", taken)
			}
		})
	}
	// Faults that only the data can show are refused with them.
	other := testkit.Must(coles.PrepareNone.Fit(ctx, mat.NewDense(40, 7, nil)))
	read := testkit.Must(ReadModel(bytes.NewReader(doctored(func(h *modelHeader) { h.Prepare = other }))))
	testkit.WantError(t, testkit.Err(read.Embed(ctx, g, x)), coles.ErrShape)
	labelled := doctoredCheckpoint(func(h *checkpointHeader) { h.Settings.Objective = crossEntropy() })
	resumed := testkit.Must(ReadCheckpoint(bytes.NewReader(labelled)))
	testkit.WantError(t, testkit.Err(Resume(ctx, resumed, g, x)), coles.ErrSetting)
}

// A file read without an error is written as it was read, and embeds or returns an error; all
// other faults are named. Headers have a right checksum, so that the fuzzer gets behind it.
func FuzzModelHeader(f *testing.F) {
	g, x := small(42)
	m := trained(f, g, x, withNetwork(GCN(2)), withEpochs(1))
	file := fileOf(m)
	length := int(file[12]) | int(file[13])<<8 | int(file[14])<<16
	f.Add(file[20 : 20+length])
	f.Fuzz(func(t *testing.T, header []byte) {
		if !json.Valid(header) {
			return
		}
		var sealed bytes.Buffer
		testkit.Must(modelFormat.Write(&sealed, json.RawMessage(header), m.params...))
		file := sealed.Bytes()
		if err := testkit.Err(ReadModel(bytes.NewReader(file), GCN(2))); err != nil && !testkit.IsNamed(err) {
			t.Errorf("with a layer: error %v has no name", err)
		}
		read, err := ReadModel(bytes.NewReader(file))
		if err != nil {
			if !errors.Is(err, coles.ErrFormat) && !errors.Is(err, coles.ErrChecksum) && !errors.Is(err, coles.ErrSetting) {
				t.Errorf("error %v has no name", err)
			}
			return
		}
		again := testkit.Must(ReadModel(bytes.NewReader(fileOf(read))))
		if !bytes.Equal(fileOf(again), fileOf(read)) {
			t.Error("written and read it is another model")
		}
		if _, err := read.Embed(ctx, g, x); err != nil && !testkit.IsNamed(err) {
			t.Errorf("error %v has no name", err)
		}
	})
}

// The hash follows what makes the vectors: parameters, features' preparation, layers.
func TestHashOfANetwork(t *testing.T) {
	g, x := small(12)
	m := trained(t, g, x)
	testkit.WantSame(t, "trained again", trained(t, g, x).Hash(), m.Hash())
	testkit.WantSame(t, "read", testkit.Must(ReadModel(bytes.NewReader(fileOf(m)))).Hash(), m.Hash())
	changed := func(change func(*Model)) *Model {
		other := &Model{settings: m.settings, prepare: m.prepare, params: m.params, factor: m.factor}
		change(other)
		return other
	}
	for name, other := range map[string]*Model{
		"another seed":        trained(t, g, x, withSeed(2)),
		"another epoch":       trained(t, g, x, withEpochs(7)),
		"another layer":       changed(func(m *Model) { m.settings.Network = Network{GCN(8), ELU(), GCN(5)} }),
		"another factor":      changed(func(m *Model) { m.factor *= 2 }),
		"another preparation": changed(func(m *Model) { m.prepare = testkit.Must(coles.PrepareStandardize.Fit(ctx, x)) }),
	} {
		if other.Hash() == m.Hash() {
			t.Errorf("%s has the same hash", name)
		}
	}
}
