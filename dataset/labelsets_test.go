package dataset

import (
	"fmt"
	"strings"
	"testing"

	"coles"
	"coles/dataset/parse"
	"coles/internal/testkit"
)

// Labels of a, b and c, and the classes of each; Labels alone stay what the cells are.
func TestLabelSets(t *testing.T) {
	for name, c := range map[string]struct{ labels, want string }{
		"lines repeated":     {"a,x\nb,y\na,y\na,z\n", "[[x y z] [y] []] true"},
		"bars":               {"a,x|y\nb,y | z\nc,u;v\n", "[[x y] [y z] [u;v]] true"},
		"semicolons":         {"a,x;y;\nb,y\n", "[[x y] [y] []] true"},
		"nothing in common":  {"a,x;y\nb,u;v\n", "[[x y] [u v] []] false"},
		"single ones":        {"a,x\nb,x\nc,y\n", "[[x] [x] [y]] false"},
		"JSON":               {`a,"[""x"",""y|z""]"` + "\nb,[3]\n", "[[x y|z] [3] []] true"},
		"numbers in order":   {"a,10|9\nb,9\n", "[[9 10] [9] []] true"},
		"a class twice":      {"a,x|x\nb,x\n", "[[x] [x] []] true"},
		"bars alone":         {"a,|\nb,x\n", "[[|] [x] []] false"},
		"not quite JSON":     {"a,[x\nb,x\n", "[[[x] [x] []] false"},
		"a bar in JSON only": {`a,"[""x|y"",""z""]"` + "\na,u\n", "[[u x|y z] [] []] true"},
	} {
		d := testkit.Must(readWith("a,b,1\nb,c,1\n", "", c.labels, parse.Options{}))
		sets, names, found := d.LabelSets()
		of := make([][]string, len(sets))
		for i, set := range sets {
			for _, k := range set {
				of[i] = append(of[i], names[k])
			}
		}
		testkit.WantSame(t, name, fmt.Sprint(of, found), c.want)
	}
}

func TestListsOfLabelsAreRefused(t *testing.T) {
	for _, labels := range []string{"a,x\nb,[]\n", "a,x\nb,[[1]]\n", "a,x\n" + `b,"[""""]"` + "\n"} {
		_, err := readWith("a,b,1\n", "", labels, parse.Options{})
		testkit.WantError(t, err, coles.ErrFormat)
		testkit.WantText(t, err.Error(), "labels:2:", "a list of labels")
	}
	for _, labels := range []string{"a,x\na,y\na,x\n", "a,x\na,NA\n"} {
		_, err := readWith("a,b,1\n", "", labels, parse.Options{})
		testkit.WantError(t, err, ErrDuplicate)
	}
	var said strings.Builder
	testkit.Must(readWith("a,b,1\n", "", "a,x\na,y\n", parse.Options{Warn: func(err error) { said.WriteString(err.Error()) }}))
	testkit.WantText(t, said.String(), "1 more labels")
}
