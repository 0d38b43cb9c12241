package dataset_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"coles/dataset"

	"gonum.org/v1/gonum/mat"
)

// inFolder calls do with the path of a file to be in a folder that is removed afterwards.
func inFolder(name string, do func(path string) error) {
	dir, err := os.MkdirTemp("", "dataset")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := do(filepath.Join(dir, name)); err != nil {
		fmt.Println(err)
	}
}

// Several matrices of one result stay together in a file that numpy.load reads as well.
func ExampleOpenMatrices() {
	inFolder("result.npz", func(path string) error {
		err := dataset.WriteFile(path, func(w io.Writer) error {
			return dataset.WriteMatrices(w, map[string]mat.Matrix{
				"embedding": mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}),
				"lambda":    mat.NewVecDense(2, []float64{0.9, 0.4}),
			})
		})
		if err != nil {
			return err
		}
		read, err := dataset.OpenMatrices(path)
		if err != nil {
			return err
		}
		fmt.Println(mat.Formatted(read["embedding"].T()))
		fmt.Println(mat.Formatted(read["lambda"].T()))
		return nil
	})
	// Output:
	// ⎡1  3  5⎤
	// ⎣2  4  6⎦
	// [0.9  0.4]
}

// The same matrices give the same bytes, whatever order a map is gone through in: a file of
// results can be compared by its checksum.
func ExampleWriteMatrices() {
	matrices := map[string]mat.Matrix{"p": mat.NewDense(1, 2, []float64{0.6, 0.8}), "y": mat.NewDense(2, 1, []float64{1, -1})}
	var one, two bytes.Buffer
	for _, b := range []*bytes.Buffer{&one, &two} {
		if err := dataset.WriteMatrices(b, matrices); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(bytes.Equal(one.Bytes(), two.Bytes()))
	fmt.Println(dataset.WriteMatrices(io.Discard, map[string]mat.Matrix{"../y": matrices["y"]}))
	// Output:
	// true
	// dataset: write npz: matrix "../y": node id not writable in this format
}

// A matrix from a collection of sparse matrices, as it was downloaded.
func ExampleOpenMatrixMarket() {
	inFolder("lap.mtx", func(path string) error {
		text := "%%MatrixMarket matrix coordinate real symmetric\n% a path of two edges\n3 3 5\n1 1 1\n2 1 -1\n2 2 2\n3 2 -1\n3 3 1\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
		m, err := dataset.OpenMatrixMarket(path)
		if err != nil {
			return err
		}
		fmt.Println(mat.Formatted(m))
		return nil
	})
	// Output:
	// ⎡ 1  -1   0⎤
	// ⎢-1   2  -1⎥
	// ⎣ 0  -1   1⎦
}

// Vectors that gensim has saved as text, and the names of their nodes.
func ExampleOpenWord2Vec() {
	inFolder("nodes.txt", func(path string) error {
		if err := os.WriteFile(path, []byte("2 3\nann 0.5 0 1\nbob -1 2 0.25\n"), 0o600); err != nil {
			return err
		}
		ids, vectors, err := dataset.OpenWord2Vec(path)
		if err != nil {
			return err
		}
		fmt.Println(ids[1], mat.Row(nil, 1, vectors))
		return nil
	})
	// Output: bob [-1 2 0.25]
}

// The binary format is smaller, and its numbers are rounded to float32 on the way.
func ExampleOpenWord2VecBinary() {
	inFolder("nodes.bin", func(path string) error {
		y := mat.NewDense(2, 2, []float64{0.1, 0.5, 1, 2})
		err := dataset.WriteFile(path, func(w io.Writer) error {
			return dataset.WriteWord2VecBinary(w, []string{"ann", "bob"}, y)
		})
		if err != nil {
			return err
		}
		ids, vectors, err := dataset.OpenWord2VecBinary(path)
		if err != nil {
			return err
		}
		fmt.Println(ids, vectors.At(0, 0) == 0.1, vectors.At(0, 0) == float64(float32(0.1)), vectors.At(0, 1))
		return nil
	})
	// Output: [ann bob] false true 0.5
}

// From anything that can be read, such as the body of a response. An end that comes too
// early is told from a sound file with fewer rows.
func ExampleReadWord2VecBinary() {
	var b bytes.Buffer
	if err := dataset.WriteWord2VecBinary(&b, []string{"ann", "bob"}, mat.NewDense(2, 1, []float64{3, 4})); err != nil {
		log.Fatal(err)
	}
	whole := b.Bytes()
	ids, vectors, err := dataset.ReadWord2VecBinary(bytes.NewReader(whole))
	fmt.Println(ids, mat.Formatted(vectors.T()), err)
	_, _, err = dataset.ReadWord2VecBinary(bytes.NewReader(whole[:len(whole)-3]))
	fmt.Println(err)
	// Output:
	// [ann bob] [3  4] <nil>
	// dataset: word2vec: byte 19: truncated input
}
