package docs

import (
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var write = flag.Bool("write", false, "write the rows of sizes.txt as the tree is")

const (
	longestFile     = 400 // lines, as CONTRIBUTING.md says
	longestFunction = 80
)

// nested are the modules below the root. What they import takes minutes to compile: their pairs are counted
// where COLES_SHARED is set.
var nested = []string{"cmd/coles-serve", "dataset/parquet", "distributed", "lab"}

// A size is a row of sizes.txt: lines of Go without tests, exported names at the top level, and pairs of files
// that use each other.
type size struct{ lines, names, pairs int }

// TestSizes holds the tree to sizes.txt: what grows is entered there, in the open, and what shrinks is lowered.
func TestSizes(t *testing.T) {
	const file = "sizes.txt"
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	was := map[string]size{}
	for _, m := range row.FindAllStringSubmatch(string(content), -1) {
		number := func(k int) int { n, _ := strconv.Atoi(m[k]); return n }
		was[m[1]] = size{number(2), number(3), number(4)}
	}
	now := sizes(t, was)
	text := counts.ReplaceAllStringFunc(withRows(string(content), now), func(line string) string {
		name, _, _ := strings.Cut(line, ":")
		return fmt.Sprintf("%s: %d", name, count(t, name))
	})
	if *write {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if before, after := counts.FindAllString(string(content), -1), counts.FindAllString(text, -1); !slices.Equal(before, after) {
		t.Errorf("sizes.txt has %q, and %q are true: make them smaller, or enter them by go test ./docs -run Sizes -write", before, after)
	}
	for name := range maps.Keys(was) {
		if _, ok := now[name]; !ok {
			t.Errorf("sizes.txt has a row for %s, which has no code", name)
		}
	}
	for name, s := range now {
		if was[name] != s {
			t.Errorf("%s has lines, names and pairs %v, and %v in sizes.txt: make it smaller, or enter it by go test ./docs -run Sizes -write", name, s, was[name])
		}
	}
}

// counts matches a line of sizes.txt that has one figure.
var counts = regexp.MustCompile(`(?m)^(?:words of the pages|lines of go doc -all coles): \d+$`)

// count is the figure of a line: the words of README.md, CONTRIBUTING.md, CHANGELOG.md and docs/, or the lines
// that go doc prints.
func count(t *testing.T, name string) (n int) {
	t.Helper()
	if strings.HasPrefix(name, "lines") {
		doc := exec.Command("go", "doc", "-all", "coles")
		doc.Dir = ".."
		out, err := doc.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(out), "\n")
	}
	for _, pattern := range []string{"../*.md", "*.md"} {
		paths, _ := filepath.Glob(pattern)
		for _, p := range paths {
			content, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			n += len(strings.Fields(string(content)))
		}
	}
	return n
}

// duration matches a time that a page promises.
var duration = regexp.MustCompile(`(?:\d+|a|two|half a|[a-z]+ and a half) (?:minutes?|seconds?)`)

// TestDurations holds what README.md, CONTRIBUTING.md and .ci/run say of their commands to the limits in sizes.txt,
// above which .ci/run fails.
func TestDurations(t *testing.T) {
	limits, err := os.ReadFile("sizes.txt")
	if err != nil {
		t.Fatal(err)
	}
	allowed := duration.FindAllString(string(limits), -1)
	for _, p := range []string{"../README.md", "../CONTRIBUTING.md", "../.ci/run"} {
		content, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for paragraph := range strings.SplitSeq(string(content), "\n\n") {
			if !strings.Contains(paragraph, "./...") && !strings.Contains(paragraph, ".ci/run") && !strings.HasPrefix(paragraph, "#!") {
				continue
			}
			for _, found := range duration.FindAllString(paragraph, -1) {
				if !slices.Contains(allowed, found) {
					t.Errorf("%s promises %q, the limits in sizes.txt are %q", p, found, allowed)
				}
			}
		}
	}
}

// row matches a row of sizes.txt.
var row = regexp.MustCompile(`(?m)^(\S+) +(\d+) +(\d+) +(\d+)\n`)

// withRows puts rows in the place of those of a text.
func withRows(text string, now map[string]size) string {
	var table strings.Builder
	for _, name := range slices.Sorted(maps.Keys(now)) {
		fmt.Fprintf(&table, "%-32s %6d %5d %5d\n", name, now[name].lines, now[name].names, now[name].pairs)
	}
	first := len(text)
	if at := row.FindStringIndex(text); at != nil {
		first = at[0]
	}
	return text[:first] + table.String() + row.ReplaceAllString(text[first:], "")
}

// inside matches a folder whose names no other module uses.
var inside = regexp.MustCompile(`(?:^|/)(?:internal|examples)/`)

// sizes measures every package, and every module in a row that ends in "...", with the names of its public packages
// alone. Where pairs are not counted, was has them. What is too long is an error of the test.
func sizes(t *testing.T, was map[string]size) map[string]size {
	now := map[string]size{}
	exports := map[string]map[string]string{}
	for _, folder := range folders(t) {
		module := "."
		if k := slices.IndexFunc(nested, func(m string) bool { return strings.HasPrefix(folder+"/", m+"/") }); k >= 0 {
			module = nested[k]
		}
		if exports[module] == nil && (module == "." || os.Getenv("COLES_SHARED") != "") {
			exports[module] = exportData(t, module)
		}
		s := sizeOf(t, folder, exports[module])
		if exports[module] == nil {
			s.pairs = was[folder].pairs
		}
		now[folder] = s
		all := path.Join(module, "...")
		sum := size{now[all].lines + s.lines, now[all].names, now[all].pairs + s.pairs}
		if !inside.MatchString(folder + "/") {
			sum.names += s.names
		}
		now[all] = sum
	}
	return now
}

// folders are the folders of the project that have code.
func folders(t *testing.T) []string {
	found := set{}
	err := filepath.WalkDir("..", func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if name := filepath.ToSlash(p); path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") {
			found[path.Dir(strings.TrimPrefix(name, "../"))] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(found))
}

// exportData has for each package that a module compiles the file of what it exports.
func exportData(t *testing.T, module string) map[string]string {
	list := exec.Command("go", "list", "-e", "-export", "-deps", "-f", "{{if .Export}}{{.ImportPath}} {{.Export}}{{end}}", "./...")
	list.Dir = filepath.Join("..", filepath.FromSlash(module))
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list in %s: %v", module, err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[name] = file
	}
	return files
}

// sizeOf measures a package. Its pairs are 0 without the exports of what it imports.
func sizeOf(t *testing.T, folder string, exports map[string]string) (s size) {
	fset := token.NewFileSet()
	paths, _ := filepath.Glob(filepath.Join("..", filepath.FromSlash(folder), "*.go"))
	var files []*ast.File
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, p, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		lines := fset.File(f.FileStart).LineCount()
		s.lines += lines
		if !ast.IsGenerated(f) && lines > longestFile {
			t.Errorf("%s has %d lines, at most %d are wanted", p, lines, longestFile)
		}
		if f.Name.Name != "main" {
			s.names += exportedNames(f)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && !ast.IsGenerated(f) {
				if n := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line + 1; n > longestFunction {
					t.Errorf("%s: %s has %d lines, at most %d are wanted", p, fn.Name.Name, n, longestFunction)
				}
			}
		}
	}
	if exports != nil {
		s.pairs = pairs(fset, files, exports)
	}
	return s
}

// exportedNames counts the names at the top level that other packages can use, without methods.
func exportedNames(f *ast.File) (n int) {
	count := func(names ...*ast.Ident) {
		for _, name := range names {
			if name.IsExported() {
				n++
			}
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				count(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					count(spec.Name)
				case *ast.ValueSpec:
					count(spec.Names...)
				}
			}
		}
	}
	return n
}

// pairs counts the pairs of files of a package that use each other's declarations. Files for several systems may
// declare a name twice, which is no matter here.
func pairs(fset *token.FileSet, files []*ast.File, exports map[string]string) (n int) {
	open := func(name string) (io.ReadCloser, error) { return os.Open(exports[name]) }
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", open), Error: func(error) {}, FakeImportC: true}
	self, _ := config.Check("", fset, files, info)
	uses := map[[2]string]bool{}
	for name, of := range info.Uses {
		if of.Pkg() == self && of.Pos().IsValid() {
			uses[[2]string{fset.Position(name.Pos()).Filename, fset.Position(of.Pos()).Filename}] = true
		}
	}
	for pair := range uses {
		if pair[0] < pair[1] && uses[[2]string{pair[1], pair[0]}] {
			n++
		}
	}
	return n
}
