package gnn

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"coles"
)

// What reads without an error is written as it was read; everything else is
// named.
func FuzzReadModel(f *testing.F) {
	g, x := small(40)
	m := must(Train(ctx, g, x, smallOptions(WithNetwork(GCN(2)), WithEpochs(1))...))
	f.Add(fileOf(m))
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := ReadModel(bytes.NewReader(file))
		if err != nil {
			if !errors.Is(err, coles.ErrFormat) && !errors.Is(err, coles.ErrChecksum) {
				t.Errorf("unnamed error %v", err)
			}
			return
		}
		again := must(ReadModel(bytes.NewReader(fileOf(m))))
		if !bytes.Equal(fileOf(again), fileOf(m)) {
			t.Error("written and read it is another model")
		}
	})
}

func FuzzReadCheckpoint(f *testing.F) {
	g, x := small(41)
	must(Train(ctx, g, x, smallOptions(WithNetwork(GCN(2)), WithEpochs(1), WithCheckpoints(1, func(c *Checkpoint) error {
		f.Add(fileOf(c))
		return nil
	}))...))
	f.Fuzz(func(t *testing.T, file []byte) {
		c, err := ReadCheckpoint(bytes.NewReader(file))
		if err != nil {
			if !errors.Is(err, coles.ErrFormat) && !errors.Is(err, coles.ErrChecksum) {
				t.Errorf("unnamed error %v", err)
			}
			return
		}
		if again := must(ReadCheckpoint(bytes.NewReader(fileOf(c)))); !bytes.Equal(fileOf(again), fileOf(c)) {
			t.Error("written and read it is another checkpoint")
		}
	})
}

// Headers with a right checksum, so that the fuzzer gets behind it.
func FuzzModelHeader(f *testing.F) {
	g, x := small(42)
	m := must(Train(ctx, g, x, smallOptions(WithNetwork(GCN(2)), WithEpochs(1))...))
	file := fileOf(m)
	length := int(file[12]) | int(file[13])<<8 | int(file[14])<<16
	f.Add(file[20 : 20+length])
	f.Fuzz(func(t *testing.T, header []byte) {
		if !json.Valid(header) {
			return
		}
		if m, err := ReadModel(bytes.NewReader(sealed(header, arraysOf(m.params)))); err == nil {
			if _, err := m.Embed(ctx, g, x); err != nil && !errors.Is(err, coles.ErrShape) && !errors.Is(err, coles.ErrSetting) && !errors.Is(err, coles.ErrPreparation) {
				t.Errorf("a model that was read does not embed: %v", err)
			}
		}
	})
}

// sealed is a model file with that header.
func sealed(header []byte, arrays [][]float64) []byte {
	var b bytes.Buffer
	must(modelFormat.Write(&b, json.RawMessage(header), arrays...))
	return b.Bytes()
}
