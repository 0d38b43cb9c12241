package dataset_test

import (
	"bytes"
	"fmt"

	"coles/dataset"
)

// numpy.load opens the file, too.
func ExampleWriteNPZ() {
	d := dataset.KarateClub()
	var file bytes.Buffer
	if err := dataset.WriteNPZ(&file, d); err != nil {
		fmt.Println(err)
		return
	}
	same, err := dataset.ReadNPZ(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(same.Nodes(), "nodes,", same.NumClasses(), "classes,", same.Adjacency.NNZ() == d.Adjacency.NNZ())
	// Output: 34 nodes, 2 classes, true
}
