package dataset_test

import (
	"fmt"

	"coles/dataset"
)

func ExampleMaskSplit() {
	s, err := dataset.MaskSplit([]bool{true, false, false, true}, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("learn from", s.Train, "- test on", s.TestNodes(4))
	// Output: learn from [0 3] - test on [1 2]
}
