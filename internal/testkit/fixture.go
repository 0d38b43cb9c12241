package testkit

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// A Fixture is a JSON object of numbers and lists that a test compares with.
type Fixture map[string]json.RawMessage

// ReadFixture reads the file at a path of these parts.
func ReadFixture(path ...string) Fixture {
	var f Fixture
	unmarshal(Must(os.ReadFile(filepath.Join(path...))), &f)
	return f
}

func unmarshal(text []byte, to any) {
	if err := json.Unmarshal(text, to); err != nil {
		panic(err)
	}
}

// Decode sets to to a member.
func (f Fixture) Decode(name string, to any) { unmarshal(f[name], to) }

// Number is a member.
func (f Fixture) Number(name string) (v float64) {
	f.Decode(name, &v)
	return v
}

// Rows is a member that is a matrix.
func (f Fixture) Rows(name string) (rows [][]float64) {
	f.Decode(name, &rows)
	return rows
}

// Inner is a member that is an object.
func (f Fixture) Inner(name string) (inner Fixture) {
	f.Decode(name, &inner)
	return inner
}
