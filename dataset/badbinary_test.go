package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"coles"
	"coles/internal/npy"
	"coles/internal/testkit"
)

func npyOf(file []byte) func() error {
	return func() error { return testkit.Err(ReadNPY(bytes.NewReader(file))) }
}

func npzOf(file []byte) func() error { return func() error { return testkit.Err(readBytes(file)) } }

func npzWith(member string, data []byte) func() error {
	return npzOf(zipFile(with(smallNPZ(), member, data)))
}

func planetoidWith(part string, data []byte) func() error {
	parts := smallPlanetoid()
	if parts[part] = data; data == nil { // not there
		delete(parts, part)
	}
	fsys := planetoidFS(parts)
	return func() error { return testkit.Err(readPlanetoid(fsys, "toy", "")) }
}

func TestBadBinary(t *testing.T) {
	good := npyArray("<f8", "(2,)", []float64{1, 2})
	header := func(h string) []byte { return npyFile(h, []float64{1, 2}) }
	small := smallNPZ()
	archive := zipFile(small)
	ints := func(v ...int32) []byte { return npyArray("<i4", fmt.Sprintf("(%d,)", len(v)), v) }
	twice := append(smallNPZ(), member{"labels", ints(0, 0, 0)})
	csr := func(indptr, indices []int32, data []float32) []byte { return pk(pkCSR(2, 3, indptr, indices, data)) }
	wrong := bytes.Clone(archive)
	binary.LittleEndian.PutUint32(wrong[bytes.Index(wrong, []byte("PK\x01\x02"))+16:], 12345) // of the first member
	early := bytes.Clone(archive)
	early[len(early)-6]++ // where the directory begins, which tells where the members do
	refuse(t, []bad{
		{"npz: a member before the beginning", npzOf(early), coles.ErrChecksum, "adj_data.npy"},
		{"npy: not npy", npyOf([]byte("GIF89a, a picture")), coles.ErrFormat, "byte 0"},
		{"npy: unknown version", npyOf([]byte("\x93NUMPY\x09\x00\x00\x00")), coles.ErrFormat, "byte 6"},
		{"npy: empty", npyOf(nil), coles.ErrChecksum, "byte 0"},
		{"npy: bytes after the end", npyOf(append(append([]byte(nil), good...), 0)), coles.ErrFormat, fmt.Sprint("byte ", len(good))},
		{"npy: header that does not close", npyOf(header("{'descr': '<f8', 'shape': (2,)")), coles.ErrFormat, "byte 10"},
		{"npy: header is not a dict", npyOf(header("[1, 2]")), coles.ErrFormat, "byte 10"},
		{"npy: text after the header", npyOf(header("{'descr': '<f8', 'fortran_order': False, 'shape': (2,)} x")), coles.ErrFormat, "byte 10"},
		{"npy: unknown key", npyOf(header("{'descr': '<f8', 'color': 'red'}")), coles.ErrFormat, `"color"`},
		{"npy: a key twice", npyOf(header("{'descr': '<f8', 'descr': '<f8'}")), coles.ErrFormat, `"descr"`},
		{"npy: no shape", npyOf(header("{'descr': '<f8', 'fortran_order': False}")), coles.ErrFormat, "byte 10"},
		{"npy: negative size", npyOf(header("{'descr': '<f8', 'fortran_order': False, 'shape': (-2,)}")), coles.ErrFormat, "byte 10"},
		{"npy: size past 64 bits", npyOf(header("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}")), coles.ErrTooLarge, "byte 10"},
		{"npy: product past 64 bits", npyOf(npyArray("<f8", "(4294967296, 4294967296)")), coles.ErrTooLarge, "byte 10"},
		{"npy: 2^40 numbers", npyOf(npyArray("<f8", "(1099511627776,)")), coles.ErrTooLarge, "byte 10"},
		{"npy: 2^35 numbers of one", npyOf(npyArray("<f4", "(34359738368,)", []float32{1})), pastInt32, "byte"},
		{"npy: huge header", npyOf([]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff")), coles.ErrTooLarge, "byte 8"},
		{"npy: Python objects", npyOf(npyArray("|O", "(2,)", []float64{1, 2})), ErrObject, "byte 10"},
		{"npy: records", npyOf(header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,)}")), coles.ErrFormat, "descr"},
		{"npy: complex numbers", npyOf(npyArray("<c16", "(2,)")), coles.ErrFormat, "c16"},
		{"npy: half precision", npyOf(npyArray("<f2", "(2,)")), coles.ErrFormat, "f2"},
		{"npy: no byte order", npyOf(npyArray("|f8", "(2,)")), coles.ErrFormat, "f8"},
		{"npy: text", npyOf(npyArray("<U1", "(2,)", []uint32{65, 66})), coles.ErrFormat, "text"},
		{"npy: three dimensions", npyOf(npyArray("<f8", "(1, 1, 1)", 1.0)), coles.ErrShape, "[1 1 1]"},
		{"npy: no rows", npyOf(npyArray("<f8", "(0, 4)")), coles.ErrShape, "[0 4]"},
		{"npy: integer past 2^63", npyOf(npyArray("<u8", "(2,)", []uint64{1, 1<<63 + 1})), coles.ErrTooLarge, "element 1"},
		{"npy: integer past 2^53", npyOf(npyArray("<i8", "(2,)", []int64{1, 1<<53 + 1})), coles.ErrTooLarge, "element 1"},
		{"npz: another checksum", npzOf(wrong), coles.ErrChecksum, "adj_data.npy"},
		{"npz: not a zip", npzOf([]byte("hello, I am no archive at all, only text")), coles.ErrFormat, "npz"},
		{"npz: no adjacency", npzOf(zipFile(without(small, "adj_indices"))), ErrMissing, "adj_indices"},
		{"npz: labelled, for other nodes", npzWith("has_label", ints(1, 0)), coles.ErrShape, "2 entries for 3 nodes"},
		{"npz: 2^30 columns", npzWith("attr_shape", ints(3, 1<<30)), coles.ErrTooLarge, "1073741824 columns"},
		{"npz: features in part", npzOf(zipFile(without(small, "attr_indptr"))), ErrMissing, "attr_indptr"},
		{"npz: member twice", npzOf(zipFile(twice)), ErrDuplicate, "labels"},
		{"npz: member is not npy", npzWith("labels", []byte("no array, but text")), coles.ErrFormat, "labels.npy"},
		{"npz: member cut short", npzWith("labels", npyArray("<i8", "(3,)", []int64{1, 2})), coles.ErrChecksum, "labels.npy"},
		{"npz: pickled labels", npzWith("labels", npyArray("|O", "(3,)", []byte("\x80\x03"))), ErrObject, "labels.npy"},
		{"npz: text for numbers", npzWith("adj_data", npyArray("|S1", "(3,)", []byte("abc"))), coles.ErrFormat, "adj_data"},
		{"npz: fractional index", npzWith("adj_indices", npyArray("<f4", "(3,)", []float32{1, 1.5, 2})), coles.ErrFormat, "adj_indices"},
		{"npz: column out of range", npzWith("adj_indices", ints(1, 3, 2)), coles.ErrIndex, "column 3 in row 1"},
		{"npz: negative column", npzWith("adj_indices", ints(1, -1, 2)), coles.ErrIndex, "column -1"},
		{"npz: row pointers fall", npzWith("adj_indptr", ints(0, 3, 1, 3)), coles.ErrShape, "row 1"},
		{"npz: row pointers begin at 1", npzWith("adj_indptr", ints(1, 1, 3, 3)), coles.ErrShape, "row pointers"},
		{"npz: row pointer past the end", npzWith("adj_indptr", ints(0, 9, 3, 3)), coles.ErrShape, "row 1"},
		{"npz: row pointers end early", npzWith("adj_indptr", ints(0, 1, 2, 2)), coles.ErrShape, "2 for 3 indices"},
		{"npz: too few row pointers", npzWith("adj_indptr", ints(0, 1, 3)), coles.ErrShape, "3 row pointers for 3 rows"},
		{"npz: more indices than values", npzWith("adj_data", npyArray("<f4", "(2,)", []float32{1, 1})), coles.ErrShape, "3 indices and 2 values"},
		{"npz: not square", npzWith("adj_shape", ints(3, 4)), coles.ErrShape, "3 × 4"},
		{"npz: shape of one number", npzWith("adj_shape", ints(3)), coles.ErrShape, "adj_shape"},
		{"npz: 2^30 nodes", npzWith("adj_shape", ints(1<<30, 1<<30)), coles.ErrShape, "adj"},
		{"npz: 2^40 labels", npzWith("labels", npyArray("<i8", "(1099511627776,)")), coles.ErrTooLarge, "labels.npy"},
		{"npz: NaN weight", npzWith("adj_data", npyArray("<f4", "(3,)", []float32{1, float32(math.NaN()), 1})), coles.ErrNotFinite, "row 1, column 2"},
		{"npz: infinite feature", npzOf(zipFile(with(without(small, "attr_data"), "attr_matrix", npyArray("<f8", "(3, 1)", []float64{0, math.Inf(1), 0})))), coles.ErrNotFinite, "row 1, column 0"},
		{"npz: feature rows", npzWith("attr_matrix", npyArray("<f8", "(2, 1)", []float64{0, 1})), coles.ErrShape, "2 feature rows for 3 nodes"},
		{"npz: feature matrix of one dimension", npzWith("attr_matrix", npyArray("<f8", "(2,)", []float64{0, 1})), coles.ErrShape, "attr_matrix"},
		{"npz: labels too few", npzWith("labels", ints(0, 1)), coles.ErrShape, "2 labels and 0 ids for 3 nodes"},
		{"npz: absurd label", npzWith("labels", ints(0, 1, 1<<30)), coles.ErrIndex, "node 2"},
		{"npz: label without a name", npzWith("class_names", npyArray("|S1", "(1,)", []byte("a"))), coles.ErrIndex, "label 1 of 1"},
		{"npz: masks of another graph", npzWith("train_masks", npyArray("|b1", "(1, 2)", []uint8{0, 1})), coles.ErrShape, "train_masks"},
		{"npz: overlapping masks", npzOf(zipFile(with(with(small, "train_masks", npyArray("|b1", "(3,)", []uint8{1, 0, 0})), "val_masks", npyArray("|b1", "(3,)", []uint8{1, 0, 0})))), ErrDuplicate, "split 0: val[0]"},
		{"npz: an empty matrix", npzWith("attr_matrix", npyArray("<f8", "(0, 3)")), coles.ErrShape, "npz/attr_matrix.npy"},
		{"planetoid: empty pickle", planetoidWith("allx", []byte{}), coles.ErrChecksum, "ind.toy.allx: byte 0"},
		{"planetoid: protocol 4", planetoidWith("graph", []byte("\x80\x04.")), coles.ErrFormat, "ind.toy.graph: byte 0"},
		{"planetoid: nothing on the stack", planetoidWith("graph", pk("")), coles.ErrFormat, "byte 2"},
		{"planetoid: two values left", planetoidWith("graph", pk("NN")), coles.ErrFormat, "byte 4"},
		{"planetoid: a mark left", planetoidWith("graph", pk("(")), coles.ErrFormat, "byte 3"},
		{"planetoid: bytes after the end", planetoidWith("graph", append(pk("}"), 'x')), coles.ErrFormat, "byte 4"},
		{"planetoid: foreign class", planetoidWith("graph", pk("cos\nsystem\n"+pkText("true")+"\x85R")), ErrObject, `"system" of module "os"`},
		{"planetoid: opcode of another protocol", planetoidWith("graph", pk("I1\n")), coles.ErrFormat, "0x49"},
		{"planetoid: text longer than the file", planetoidWith("graph", pk("T\xff\xff\xff\x7fabc")), coles.ErrChecksum, "byte 2"},
		{"planetoid: name that does not end", planetoidWith("graph", []byte("\x80\x02cnumpy")), coles.ErrChecksum, "byte 2"},
		{"planetoid: memo slot never filled", planetoidWith("graph", pk("h\x07")), coles.ErrFormat, "memo slot 7"},
		{"planetoid: append to a number", planetoidWith("graph", pk("K\x01K\x02a")), coles.ErrFormat, "byte 6"},
		{"planetoid: append without a mark", planetoidWith("graph", pk("]e")), coles.ErrFormat, "byte 3"},
		{"planetoid: keys without values", planetoidWith("graph", pk("}(K\x01u")), coles.ErrFormat, "byte 6"},
		{"planetoid: list as a key", planetoidWith("graph", pk("}]K\x01s")), coles.ErrFormat, "byte 6"},
		{"planetoid: call of a number", planetoidWith("graph", pk("K\x01)R")), coles.ErrFormat, "byte 5"},
		{"planetoid: call without a tuple", planetoidWith("graph", pk("cnumpy\ndtype\nNR")), coles.ErrFormat, "tuple"},
		{"planetoid: dtype of objects", planetoidWith("graph", pk("cnumpy\ndtype\n"+pkText("O8")+"\x85R")), ErrObject, "byte 20"},
		{"planetoid: dtype without a name", planetoidWith("graph", pk("cnumpy\ndtype\n)R")), coles.ErrFormat, "dtype"},
		{"planetoid: state of a list", planetoidWith("graph", pk("]]b")), coles.ErrFormat, "byte 4"},
		{"planetoid: array larger than its bytes", planetoidWith("allx", pk(pkArray("f4", []float32{1}, 1<<30, 1<<30))), coles.ErrChecksum, "ind.toy.allx"},
		{"planetoid: array smaller than its bytes", planetoidWith("allx", pk(pkArray("f4", []float32{1, 2}, 1))), coles.ErrShape, "ind.toy.allx"},
		{"planetoid: array of negative size", planetoidWith("allx", pk(pkArray("f4", []float32{1}, -1))), coles.ErrFormat, "ind.toy.allx"},
		{"planetoid: allx is a dict", planetoidWith("allx", pk("}")), coles.ErrFormat, "ind.toy.allx"},
		{"planetoid: matrix without state", planetoidWith("allx", pk("cscipy.sparse.csr\ncsr_matrix\n)\x81")), coles.ErrFormat, "ind.toy.allx"},
		{"planetoid: matrix without shape", planetoidWith("allx", pk("cscipy.sparse.csr\ncsr_matrix\n)\x81}b")), coles.ErrFormat, "_shape"},
		{"planetoid: column out of range", planetoidWith("tx", csr([]int32{0, 1, 2}, []int32{0, 3}, []float32{1, 1})), coles.ErrIndex, "column 3 in row 1"},
		{"planetoid: other columns", planetoidWith("tx", pk(pkCSR(2, 4, []int32{0, 1, 2}, []int32{0, 1}, []float32{1, 1}))), coles.ErrShape, "allx has 3"},
		{"planetoid: two classes at once", planetoidWith("ally", pk(pkArray("i4", []int32{1, 1, 0, 1}, 2, 2))), coles.ErrFormat, "row 0"},
		{"planetoid: rows of ally", planetoidWith("ally", pk(pkArray("i4", []int32{1, 0}, 1, 2))), coles.ErrShape, "ind.toy.ally"},
		{"planetoid: rows of ty", planetoidWith("ty", pk(pkArray("i4", []int32{1, 0}, 1, 2))), coles.ErrShape, "ind.toy.ty"},
		{"planetoid: labels in one dimension", planetoidWith("ty", pk(pkArray("i4", []int32{1, 0}, 2))), coles.ErrShape, "ind.toy.ty"},
		{"planetoid: 2^40 rows without columns", planetoidWith("ty", pk(pkArray("i4", []int32{}, 0x7fffffff, 0))), coles.ErrChecksum, "ind.toy.ty"},
		{"planetoid: training labels of another graph", planetoidWith("y", pk(pkArray("i4", []int32{0, 1}, 1, 2))), coles.ErrShape, "ind.toy.y"},
		{"planetoid: unknown neighbour", planetoidWith("graph", pk("}K\x00]K\x63as")), coles.ErrIndex, "node 0: neighbour 99 of 5"},
		{"planetoid: a neighbour that holds itself", planetoidWith("graph", pk("}K\x00]}q\x01K\x00h\x01sas")), coles.ErrFormat, "node 0"},
		{"planetoid: one list for many nodes", planetoidWith("graph", pk("}K\x00]("+strings.Repeat("K\x01", 40)+"eq\x01sK\x01h\x01sK\x02h\x01s")), coles.ErrTooLarge, "more neighbours than"},
		{"planetoid: a defaultdict made with content", planetoidWith("graph", pk("ccollections\ndefaultdict\nc__builtin__\nlist\n}K\x00]s\x86R")), coles.ErrFormat, "byte 51"},
		{"planetoid: unknown node", planetoidWith("graph", pk("}K\x07]s")), coles.ErrIndex, "none of 5 nodes"},
		{"planetoid: neighbours are no list", planetoidWith("graph", pk("}K\x00K\x01s")), coles.ErrFormat, "node 0"},
		{"planetoid: test index is text", planetoidWith("test.index", []byte("4\ntwo\n")), coles.ErrFormat, "ind.toy.test.index:2"},
		{"planetoid: test index in allx", planetoidWith("test.index", []byte("1\n2\n")), coles.ErrIndex, "test.index:1"},
		{"planetoid: test index far away", planetoidWith("test.index", []byte("4\n1000000000\n")), coles.ErrIndex, "test.index:2"},
		{"planetoid: test index twice", planetoidWith("test.index", []byte("4\n4\n")), ErrDuplicate, "test.index:2"},
		{"planetoid: test index too short", planetoidWith("test.index", []byte("4\n")), coles.ErrShape, "1 test nodes for 2 rows"},
		{"planetoid: missing file", planetoidWith("graph", nil), fs.ErrNotExist, "ind.toy.graph"},
	})
	for _, name := range []string{"", "../toy", `a\b`} {
		_, err := readPlanetoid(planetoidFS(smallPlanetoid()), name, "")
		wantError(t, err, coles.ErrSetting, fmt.Sprintf("%q", name))
	}
}

func TestBadMapped(t *testing.T) {
	good := npyArray("<f4", "(2, 3)", []float32{1, 2, 3, 4, 5, 6})
	fortran := npyFile("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", []float32{1, 2, 3, 4, 5, 6})
	mapOf := func(file []byte) func() error {
		path := saved(t, file)
		return func() error {
			_, err := MapNPY(path)
			if !strings.Contains(fmt.Sprint(err), path) {
				t.Errorf("error %q does not name the file", err)
			}
			return err
		}
	}
	refuse(t, []bad{
		{"mapped: float64", mapOf(npyArray("<f8", "(2,)", []float64{1, 2})), ErrLayout, "ReadNPY"},
		{"mapped: big-endian", mapOf(npyArray(">f4", "(2,)", []float32{1, 2})), ErrLayout, "ReadNPY"},
		{"mapped: integers", mapOf(npyArray("<i4", "(2,)", []int32{1, 2})), ErrLayout, "ReadNPY"},
		{"mapped: text", mapOf(npyArray("<U1", "(2,)", []int32{65, 66})), ErrLayout, "'<f4'"},
		{"mapped: column-major", mapOf(fortran), ErrLayout, "column-major"},
		{"mapped: gzipped", mapOf(gzipped(good)), ErrLayout, "gzipped"},
		{"mapped: one byte", mapOf([]byte{0x1f}), coles.ErrChecksum, "byte 1"},
		{"mapped: cut in the numbers", mapOf(good[:len(good)-1]), coles.ErrChecksum, fmt.Sprint("byte ", len(good)-1)},
		{"mapped: bytes after the end", mapOf(append(slices.Clone(good), 0)), coles.ErrFormat, fmt.Sprint("byte ", len(good))},
		{"mapped: 2^35 numbers of one", mapOf(npyArray("<f4", "(34359738368,)", []float32{1})), pastInt32, "34359738368"},
		{"mapped: no dimension", mapOf(npyArray("<f4", "()", float32(1))), coles.ErrShape, "[]"},
		{"mapped: no columns", mapOf(npyArray("<f4", "(4, 0)")), coles.ErrShape, "[4 0]"},
	})
}

// A dataset of which one part is changed is refused before the first byte.
func TestBadDatasets(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(d *Dataset)
		cause  error
		place  string
	}{
		{"nil adjacency", func(d *Dataset) { d.Adjacency = nil }, ErrMissing, "adjacency"},
		{"unlabeled", func(d *Dataset) { d.Unlabeled = []int{4} }, coles.ErrIndex, "node 4"},
		{"too few ids", func(d *Dataset) { d.IDs = d.IDs[:1] }, coles.ErrShape, "1 ids"},
		{"id not UTF-8", func(d *Dataset) { d.IDs[1] = "\xff" }, coles.ErrIDs, `node 1, "\xff"`},
		{"id that ends in zero", func(d *Dataset) { d.IDs[2] = "b\x00" }, coles.ErrIDs, `node 2, "b\x00"`},
		{"long id", func(d *Dataset) { d.IDs[0] = strings.Repeat("ß", npy.MaxHeader+1) }, coles.ErrTooLarge, "node 0"},
		{"class not UTF-8", func(d *Dataset) { d.Classes[1] = "a\xc3" }, coles.ErrIDs, `class 1, "a\xc3"`},
		{"class that ends in zero", func(d *Dataset) { d.Classes[0] = "\x00" }, coles.ErrIDs, "class 0"},
		{"some splits with Test", func(d *Dataset) { d.Splits[1].Test = nil }, coles.ErrShape, "split 1"},
		{"node in two parts", func(d *Dataset) { d.Splits[1].Val = []int{1} }, ErrDuplicate, "split 1"},
		{"too many splits", func(d *Dataset) { d.Splits = make([]Split, maxSplits+1) }, coles.ErrTooLarge, "65537 splits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			d := smallDataset()
			c.change(d)
			if wantError(t, WriteNPZ(&b, d), c.cause, c.place); b.Len() > 0 {
				t.Errorf("%d bytes of what is refused", b.Len())
			}
		})
	}
}
