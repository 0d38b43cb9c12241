package dataset

import (
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"coles"
	"coles/dataset/parse"
	"coles/internal/source"
	"coles/internal/testkit"
	"coles/internal/text"
)

// A bad input with its error and place. A declared size without data takes no
// memory.
type bad struct {
	name  string
	read  func() error
	want  error
	place string
}

func refuse(t *testing.T, table []bad) {
	t.Helper()
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			if taken := allocated(func() { wantError(t, c.read(), c.want, c.place) }); taken > 4<<20 {
				t.Errorf("%d bytes for a few", taken)
			}
		})
	}
}

func edgeList(edges, features, labels string) func() error {
	return func() error { return testkit.Err(readText(edges, features, labels)) }
}

// strictly reads features that may not have gaps.
func strictly(edges, features string) func() error {
	return func() error { return testkit.Err(readWith(edges, features, "", parse.Options{Missing: "error"})) }
}

// numbers are rows of two numbers.
func numbers(rows int) string {
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, "n%d,1,2\n", i)
	}
	return b.String()
}

func market(text string) func() error {
	return func() error { return testkit.Err(readMatrixMarket(strings.NewReader(text))) }
}

func splits(json string) func() error {
	return func() error { return testkit.Err(ReadSplits(strings.NewReader(json), 6)) }
}

func word2vec(read func(io.Reader, parse.Options) (*Dataset, error), text string) func() error {
	return func() error { return testkit.Err(read(strings.NewReader(text), parse.Options{})) }
}

func TestBadText(t *testing.T) {
	const features = "a,1,2\nb,3,4\n"
	refuse(t, []bad{
		{"edges: nothing", edgeList("", "", ""), ErrMissing, "edges"},
		{"edges: one field", edgeList("a b\nc\n", "", ""), coles.ErrFormat, "edges:2"},
		{"edges: four fields", edgeList("a b 1 2\n", "", ""), coles.ErrFormat, "edges:1"},
		{"edges: weight on some lines", edgeList("a b 1\na c\n", "", ""), coles.ErrFormat, "edges:2"},
		{"edges: weight is text", edgeList("a b 1\na c heavy\n", "", ""), coles.ErrFormat, "edges:2:5"},
		{"edges: weight is NaN", edgeList("a b 1\na c NaN\n", "", ""), coles.ErrNotFinite, "edges:2:5"},
		{"edges: weight overflows", edgeList("a b 1e999\n", "", ""), coles.ErrNotFinite, "edges:1:5"},
		{"edges: the first weight is empty", edgeList("1,2,\n3,4,0.5\n", "", ""), coles.ErrFormat, "edges:1:5"},
		{"edges: header that is an edge", edgeList("from to\na from\n", "", ""), coles.ErrFormat, `edges:1: malformed: looks like a header, but "from"`},
		{"edges: weight of the first edge is text", edgeList("a b heavy\nb c 1\n", "", ""), coles.ErrFormat, `"b" (field 2)`},
		{"edges: features of the first node are text", edgeList("a,b\n", "a,red\nb,1\na,2\n", ""), coles.ErrFormat, `features:1`},
		{"edges: header of labels is a node", edgeList("id,b\n", "", "id,label\nb,x\n"), coles.ErrFormat, "labels:1"},
		{"edges: decimal commas between semicolons", edgeList("1;2;0,5\n2;3;0,25\n", "", ""), coles.ErrFormat, "edges:1"},
		{"edges: decimal commas between spaces", edgeList("1 2 0,5\n2 3 -1,5e3\n", "", ""), coles.ErrFormat, "edges:1"},
		{"edges: the first feature beyond all", edgeList("a b\n", "a 99999999999999999999:1\nb 1:1\n", ""), coles.ErrIndex, "features:1:3"},
		{"edges: empty id", edgeList("a,b\n,c\n", "", ""), coles.ErrFormat, "edges:2:1"},
		{"edges: open quote", edgeList("a,b\n\"a,b\n", "", ""), coles.ErrFormat, "edges:2:1"},
		{"edges: text after a quote", edgeList("a,\"b\"c\n", "", ""), coles.ErrFormat, "edges:1:3"},
		{"edges: not UTF-8", edgeList("a b\n\xff\xfe b\n", "", ""), coles.ErrFormat, "edges:2"},
		{"edges: unknown node", edgeList("a,b\n# c\na,zoe\n", features, ""), coles.ErrIDs, `edges:3:3: bad node ids: no line in features for node "zoe"`},
		{"edges: unknown node among integers", edgeList("1 2\n# c\n2 1\n1 12\n", "1 5\n2 6\n", ""), coles.ErrIDs, `edges:4:3: bad node ids: no line in features for node "12"`},
		{"edges: unknown node before integers", edgeList("1 2\n17 1\n", "1 5\n2 6\n", ""), coles.ErrIDs, `edges:2:1: bad node ids: no line in features for node "17"`},
		{"edges: a third field among integers", edgeList("1 2\n2 1\n1 2 3\n", "", ""), coles.ErrFormat, "edges:3"},
		{"edges: features of no node", edgeList("a,b\n", "# nothing\n", ""), ErrMissing, "features"},
		{"edges: features twice", edgeList("a,b\n", "a,1,2\nb,3,4\na,1,2\n", ""), coles.ErrIDs, "features:3:1"},
		{"edges: rows of different length", edgeList("a,b\n", "a,1,2\nb,3\n", ""), coles.ErrShape, "features:2"},
		{"edges: feature is text behind what is looked at first", edgeList("a,b\n", numbers(8000)+"b,3,four\n", ""), coles.ErrFormat, "features:8001:5"},
		{"edges: feature is missing", strictly("a,b\n", "a,1,2\nb,3,\n"), coles.ErrFormat, "features:2:5"},
		{"edges: first features are missing values", strictly("b c\n", "a,NA,?\nb,1,2\nc,2,2\n"), coles.ErrFormat, "features:1:3"},
		{"edges: cell is missing", strictly("a,b\n", "a,1,red\nb,,blue\n"), coles.ErrFormat, "features:2:3"},
		{"edges: cells", edgeList("a,b\n", "a,1,red\nb,2\n", ""), coles.ErrShape, "features:2"},
		{"edges: row of a table twice", edgeList("a,b\n", "a,1,red\na,2,blue\n", ""), coles.ErrIDs, "features:2:1"},
		{"edges: quote open in a table", edgeList("a,b\n", "a,1,red\nb,2,\"blue\n\ngreen", ""), coles.ErrFormat, "features:2:5"},
		{"edges: a column far behind the others", edgeList("b c\n", "a 1:1 2000000000:3\nb 0:1\nc\n", ""), coles.ErrTooLarge, "features:1:7"},
		{"edges: pair without colon", edgeList("a b\n", "a 0:1\nb 1\n", ""), coles.ErrFormat, "features:2:3"},
		{"edges: negative feature index", edgeList("a b\n", "a 0:1\nb -1:1\n", ""), coles.ErrIndex, "features:2:3"},
		{"edges: feature index past 31 bits", edgeList("a b\n", "a 0:1\nb 4294967296:1\n", ""), coles.ErrIndex, "features:2:3"},
		{"edges: feature given twice", edgeList("a b\n", "a 0:1\nb 1:1 0:2 1:1\n", ""), ErrDuplicate, "features:2"},
		{"edges: no feature at all", edgeList("a b\n", "a\nb\n", ""), ErrMissing, "features"},
		{"edges: label of an unknown node", edgeList("a,b\n", features, "a,x\nzoe,y\n"), coles.ErrIDs, `labels:2:1: bad node ids: unknown node "zoe"`},
		{"edges: label given twice", edgeList("a,b\n", features, "a,x\na,x\n"), ErrDuplicate, "labels:2:1"},
		{"edges: label of three fields", edgeList("a,b\n", features, "a,x,y\n"), coles.ErrFormat, "labels:1"},
		{"Matrix Market: nothing", market(""), coles.ErrChecksum, "matrix:1"},
		{"Matrix Market: no banner", market("2 2 1\n1 1 1\n"), coles.ErrFormat, "matrix:1"},
		{"Matrix Market: half a banner", market("%%MatrixMarket matrix\n"), coles.ErrFormat, "matrix:1"},
		{"Matrix Market: a tensor", market("%%MatrixMarket tensor coordinate real general\n"), coles.ErrFormat, "matrix:1"},
		{"Matrix Market: an unknown format", market("%%MatrixMarket matrix list real general\n"), coles.ErrFormat, `"list"`},
		{"Matrix Market: complex numbers", market("%%MatrixMarket matrix coordinate complex general\n"), coles.ErrFormat, `"complex"`},
		{"Matrix Market: a Hermitian matrix", market("%%MatrixMarket matrix coordinate real hermitian\n"), coles.ErrFormat, `"hermitian"`},
		{"Matrix Market: an array", market("%%MatrixMarket matrix array real general\n1 1\n1\n"), coles.ErrFormat, `"array"`},
		{"Matrix Market: no sizes", market(marketHead), coles.ErrChecksum, "matrix:2"},
		{"Matrix Market: two sizes", market(marketHead + "2 2\n"), coles.ErrFormat, "matrix:2"},
		{"Matrix Market: a negative size", market(marketHead + "-2 2 1\n"), coles.ErrFormat, "matrix:2:1"},
		{"Matrix Market: a size of text", market(marketHead + "2 two 1\n"), coles.ErrFormat, "matrix:2:3"},
		{"Matrix Market: no rows", market(marketHead + "0 2 0\n"), coles.ErrShape, "matrix:2"},
		{"Matrix Market: too many rows", market(marketHead + "1099511627776 1 0\n"), coles.ErrTooLarge, "matrix:2"},
		{"Matrix Market: a size beyond all", market(marketHead + "99999999999999999999 1 0\n"), coles.ErrTooLarge, "matrix:2:1"},
		{"Matrix Market: empty rows beyond measure", market(marketHead + "2000000000 2 0\n"), coles.ErrTooLarge, "matrix:2"},
		{"Matrix Market: too many entries", market(marketHead + "2 2 1099511627777\n"), coles.ErrTooLarge, "matrix:2:5"},
		{"Matrix Market: symmetric, not square", market("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n"), coles.ErrShape, "matrix:2"},
		{"Matrix Market: too few entries", market(marketHead + "2 2 2\n1 1 1\n"), coles.ErrChecksum, "matrix:4"},
		{"Matrix Market: entries declared only", market(marketHead + "2 2 1000000000000\n1 1 1\n"), pastInt32, "matrix:"},
		{"Matrix Market: too many lines", market(marketHead + "2 2 1\n1 1 1\n2 2 2\n"), coles.ErrFormat, "matrix:4"},
		{"Matrix Market: a row of zero", market(marketHead + "2 2 1\n0 1 1\n"), coles.ErrIndex, "matrix:3:1"},
		{"Matrix Market: a column beyond", market(marketHead + "2 2 1\n1 3 1\n"), coles.ErrIndex, "matrix:3:3"},
		{"Matrix Market: no value", market(marketHead + "2 2 1\n1 1\n"), coles.ErrFormat, "matrix:3"},
		{"Matrix Market: a value of text", market(marketHead + "2 2 1\n1 1 one\n"), coles.ErrFormat, "matrix:3:5"},
		{"Matrix Market: a diagonal in a skew-symmetric matrix", market("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n"), coles.ErrFormat, "matrix:3"},
		{"splits: empty", splits(""), coles.ErrChecksum, "splits: byte 0"},
		{"splits: not JSON", splits(`{"train": [[0;1]]}`), coles.ErrFormat, "byte 14"},
		{"splits: a list, not an object", splits(`[[0, 1]]`), coles.ErrFormat, "splits: byte"},
		{"splits: fractional node", splits(`{"train": [[0.5]], "val": [[]]}`), coles.ErrFormat, "splits: byte"},
		{"splits: null for a node", splits(`{"train": [[1]], "val": [[null]]}`), coles.ErrFormat, "null where a node"},
		{"splits: a part twice", splits(`{"train": [[0, 1]], "train": [[2]], "val": [[]]}`), coles.ErrFormat, "given twice"},
		{"splits: flat list", splits(`{"train": [0, 1], "val": [2]}`), coles.ErrFormat, "splits: byte"},
		{"splits: bytes after the end", splits(smallSplits + "{}"), coles.ErrFormat, "splits: byte"},
		{"splits: no train", splits(`{"val": [[1]]}`), ErrMissing, "splits"},
		{"splits: no val", splits(`{"train": [[1]]}`), ErrMissing, "splits"},
		{"splits: more train than val", splits(`{"train": [[1], [2]], "val": [[3]]}`), coles.ErrShape, "2 train, 1 val"},
		{"splits: another graph", splits(`{"nodes": 7, "train": [[1]], "val": [[2]]}`), coles.ErrShape, "7 nodes for a graph of 6"},
		{"splits: node out of range", splits(`{"train": [[1], [2]], "val": [[3], [4, 6]]}`), coles.ErrIndex, "split 1: val[1]: node 6 of 6"},
		{"splits: node twice", splits(`{"train": [[1, 2, 1]], "val": [[3]]}`), ErrDuplicate, "split 0: train[2]: node 1"},
		{"splits: train in val", splits(`{"train": [[1]], "val": [[3, 1]]}`), ErrDuplicate, "split 0: val[1]: node 1 is in train"},
		{"word2vec: nothing", word2vec(readWord2Vec, ""), coles.ErrChecksum, "word2vec:1"},
		{"word2vec: one size", word2vec(readWord2Vec, "3\n"), coles.ErrFormat, "word2vec:1"},
		{"word2vec: no rows", word2vec(readWord2Vec, "0 3\n"), coles.ErrShape, "word2vec:1:1"},
		{"word2vec: no columns", word2vec(readWord2Vec, "3 0\n"), coles.ErrShape, "word2vec:1:3"},
		{"word2vec: rows beyond an index", word2vec(readWord2Vec, "1099511627776 3\n"), coles.ErrTooLarge, "word2vec:1:1"},
		{"word2vec: rows declared only", word2vec(readWord2Vec, "2000000000 2000000000\n"), coles.ErrChecksum, "word2vec:2"},
		{"word2vec: a row missing", word2vec(readWord2Vec, "2 1\na 1\n"), coles.ErrChecksum, "1 rows of 2"},
		{"word2vec: a row too many", word2vec(readWord2Vec, "1 1\na 1\nb 2\n"), coles.ErrFormat, "word2vec:3"},
		{"word2vec: a short row", word2vec(readWord2Vec, "2 2\na 1 2\nb 1\n"), coles.ErrShape, "word2vec:3"},
		{"word2vec: an id twice", word2vec(readWord2Vec, "2 1\na 1\na 2\n"), coles.ErrIDs, "word2vec:3:1"},
		{"word2vec: text for a number", word2vec(readWord2Vec, "1 2\na 1 x\n"), coles.ErrFormat, "word2vec:2:5"},
		{"word2vec: not UTF-8", word2vec(readWord2Vec, "1 1\n\xff 1\n"), coles.ErrFormat, "word2vec:2"},
		{"word2vec: binary: no rows", word2vec(readWord2VecBinary, "2 2\n"), coles.ErrChecksum, "byte 4"},
		{"word2vec: binary: half a row", word2vec(readWord2VecBinary, "1 2\na 1234"), coles.ErrChecksum, "byte 10"},
		{"word2vec: binary: rows declared only", word2vec(readWord2VecBinary, "2000000000 2000000000\na "), coles.ErrChecksum, "byte"},
		{"word2vec: binary: an empty id", word2vec(readWord2VecBinary, "1 1\n 1234"), coles.ErrFormat, "byte 4"},
		{"word2vec: binary: a line feed in an id", word2vec(readWord2VecBinary, "1 1\na\nb 1234"), coles.ErrFormat, "byte 4"},
		{"word2vec: binary: an id not UTF-8", word2vec(readWord2VecBinary, "1 1\n\xff 1234"), coles.ErrFormat, "byte 4"},
		{"word2vec: binary: an id without end", word2vec(readWord2VecBinary, "1 1\n"+strings.Repeat("x", source.Chunk+1)), coles.ErrTooLarge, "byte 4"},
		{"word2vec: binary: an id twice", word2vec(readWord2VecBinary, "2 1\n"+binaryRow("a", 1)+binaryRow("a", 2)), coles.ErrIDs, "byte"},
		{"word2vec: binary: no finite number", word2vec(readWord2VecBinary, "1 1\n"+binaryRow("a", float32(math.NaN()))), coles.ErrNotFinite, "byte 6"},
		{"word2vec: binary: bytes after the end", word2vec(readWord2VecBinary, "1 1\n"+binaryRow("a", 1)+"\n\n"), coles.ErrFormat, "byte 11"},
	})
	long := strings.Repeat("x", text.MaxLine+1)
	wantError(t, edgeList(long, "", "")(), coles.ErrTooLarge, "edges:1")
}
