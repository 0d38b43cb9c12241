package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"

	"coles/dataset"
	"coles/internal/npy"
)

// A job is a row of the table.
type job struct {
	name    string
	command string // words that inputs has are files to read, and out.… files to write
	archive bool   // it reads one of -data
	large   bool   // it takes a minute and gigabytes
}

// String names the job as -rows takes it.
func (j job) String() string { return j.name }

var jobs = []job{
	{name: "read-2m", command: "info 2m.txt"},
	{name: "read-10m", command: "info 10m.txt"},
	{name: "read-names", command: "info names.txt"},
	{name: "read-weights", command: "info weights.txt"},
	{name: "read-npy", command: "info 10m.npy"},
	{name: "embed-10m", command: "embed 10m.txt -features 1m.npy -o out.npy"},
	{name: "embed-50m", command: "embed 50m.txt -features 5m.npy -o out.npy", large: true},
	{name: "cora", command: "embed cora.npz -dim 512 -o out.tsv", archive: true},
	{name: "pubmed", command: "embed pubmed.npz -dim 256 -o out.tsv", archive: true},
	{name: "tsv", command: "convert wide.npy out.tsv"},
	{name: "csv", command: "convert wide.npy out.csv"},
	{name: "json", command: "convert wide.npy out.jsonl"},
	{name: "word2vec", command: "convert -to word2vec wide.npy out.txt"},
	{name: "predict", command: "predict -embedding groups.npy -labels labels.txt -o out.tsv"},
	{name: "predict-1048", command: "predict -embedding columns.npy -labels labels.txt -o out.tsv"},
	{name: "cluster", command: "cluster -embedding groups.npy -o out.tsv"},
	{name: "similar", command: "similar -embedding groups.npy -k 10 7"},
	{name: "plot", command: "plot -embedding groups.npy -o out.svg"},
	{name: "eigenmap", command: "embed 2m.txt -dim 16 -o out.npy"},
}

// inputs make the files that jobs read. Nodes and edges of a graph are drawn at random.
var inputs = map[string]func(w *bufio.Writer) error{
	"2m.txt":      edges(200_000, 2_000_000, "", false),
	"10m.txt":     edges(1_000_000, 10_000_000, "", false),
	"50m.txt":     edges(5_000_000, 50_000_000, "", false),
	"names.txt":   edges(200_000, 2_000_000, "user", false),
	"weights.txt": edges(200_000, 2_000_000, "", true),
	"10m.npy":     pairs(1_000_000, 10_000_000),
	"1m.npy":      vectors(1_000_000, 64),
	"5m.npy":      vectors(5_000_000, 64),
	"wide.npy":    vectors(19_717, 256),
	"groups.npy":  vectors(20_000, 128),
	"columns.npy": vectors(20_000, 1048),
	"labels.txt":  labels(2_000),
}

// keep makes a file that is not there yet.
func keep(path string, write func(w *bufio.Writer) error) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return dataset.WriteFile(path, func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<16)
		if err := write(b); err != nil {
			return err
		}
		return b.Flush()
	})
}

// edges are m lines of two ids and perhaps a weight.
func edges(n, m int, prefix string, weighted bool) func(w *bufio.Writer) error {
	return func(w *bufio.Writer) error {
		random := rand.New(rand.NewPCG(1, uint64(m)))
		for range m {
			line := strconv.AppendInt(append(w.AvailableBuffer(), prefix...), random.Int64N(int64(n)), 10)
			line = strconv.AppendInt(append(append(line, '\t'), prefix...), random.Int64N(int64(n)), 10)
			if weighted {
				line = strconv.AppendFloat(append(line, '\t'), 1+random.Float64(), 'f', 3, 64)
			}
			w.Write(append(line, '\n'))
		}
		return nil
	}
}

// pairs are the edges as an array of m × 2.
func pairs(n, m int) func(w *bufio.Writer) error {
	return func(w *bufio.Writer) error {
		random := rand.New(rand.NewPCG(1, uint64(m)))
		npy.WriteHeader(w, "<i4", false, m, 2)
		for range 2 * m {
			w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), uint32(random.IntN(n))))
		}
		return nil
	}
}

const groups = 12

// vectors are n rows of float32, of groups that overlap: row i is in group i mod 12. In
// a tenth of the columns, or eight, the groups differ.
func vectors(n, d int) func(w *bufio.Writer) error {
	return func(w *bufio.Writer) error {
		random := rand.New(rand.NewPCG(1, uint64(d)))
		telling := max(8, d/10)
		centre := make([]float64, groups*telling)
		for k := range centre {
			centre[k] = random.NormFloat64()
		}
		row := make([]float32, d)
		npy.WriteHeader(w, "<f4", false, n, d)
		for i := range n {
			for j := range row {
				row[j] = float32(random.NormFloat64())
				if j < telling {
					row[j] += float32(centre[i%groups*telling+j])
				}
			}
			if err := binary.Write(w, binary.LittleEndian, row); err != nil {
				return err
			}
		}
		return nil
	}
}

// labels name the groups of the first nodes.
func labels(count int) func(w *bufio.Writer) error {
	return func(w *bufio.Writer) error {
		for i := range count {
			fmt.Fprintf(w, "%d\tgroup %d\n", i, i%groups)
		}
		return nil
	}
}
