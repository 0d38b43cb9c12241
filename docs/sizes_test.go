package docs

import (
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

const (
	longestFile     = 400 // lines, as CONTRIBUTING.md says
	longestFunction = 80
)

// nested are the modules below the root. What they import takes minutes to compile: their pairs are counted
// where COLES_SHARED is set.
var nested = []string{"cmd/coles-serve", "dataset/parquet", "distributed", "internal/kernel/gen", "lab"}

// TestSizes holds the tree to the ceilings of sizes.txt.
func TestSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("half a minute")
	}
	content, err := os.ReadFile("sizes.txt")
	if err != nil {
		t.Fatal(err)
	}
	ceilings := map[string]int{}
	for _, m := range ceiling.FindAllStringSubmatch(string(content), -1) {
		ceilings[m[1]], _ = strconv.Atoi(m[2])
	}
	now := sizes(t)
	for _, what := range slices.Sorted(maps.Keys(now)) {
		size := now[what]
		most, ok := ceilings[what]
		if of := strings.LastIndex(what, " of "); !ok && of >= 0 {
			most, ok = ceilings[what[:of]+" of any package"]
		}
		switch {
		case !ok:
			t.Errorf("sizes.txt has no ceiling for %s, of which there are %d", what, size)
		case size > most:
			t.Errorf("%s: %d, and sizes.txt allows %d", what, size, most)
		}
		if testing.Verbose() {
			t.Logf("%s: %d of %d", what, size, most)
		}
	}
}

// ceiling matches a line of sizes.txt.
var ceiling = regexp.MustCompile(`(?m)^(\S.*): (\d+)$`)

// sizes are those that have a ceiling. A file or a function that is too long is an error of the test.
func sizes(t *testing.T) map[string]int {
	now := map[string]int{"words of the pages": words(t)}
	exports := map[string]map[string]string{}
	for _, folder := range folders(t) {
		module := "coles"
		if k := slices.IndexFunc(nested, func(m string) bool { return strings.HasPrefix(folder+"/", m+"/") }); k >= 0 {
			module = nested[k]
		}
		if exports[module] == nil && (module == "coles" || os.Getenv("COLES_SHARED") != "") {
			exports[module] = exportData(t, module)
		}
		files, lines, tests := parsed(t, folder)
		now["lines of module "+module] += lines
		now["lines of tests of module "+module] += tests
		if len(files) == 0 {
			continue
		}
		if exports[module] != nil {
			now["mutual pairs of "+folder] = pairs(t, files, exports[module])
		}
		if public(folder, files) {
			now["lines of go doc of "+folder] = documented(t, module, folder)
			now["public names of module "+module] += exportedNames(files)
		}
		if folder == "." {
			now["files of the root"] = len(files)
		}
	}
	return now
}

// words are those of README.md, CONTRIBUTING.md, CHANGELOG.md and docs/.
func words(t *testing.T) (n int) {
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

// documented are the lines that go doc -all prints of a package.
func documented(t *testing.T, module, folder string) int {
	dir := ".."
	if module != "coles" {
		dir = filepath.Join("..", filepath.FromSlash(module))
	}
	doc := exec.Command("go", "doc", "-all", path.Join("coles", folder))
	doc.Dir = dir
	out, err := doc.Output()
	if err != nil {
		t.Fatalf("go doc of %s: %v", folder, err)
	}
	return strings.Count(string(out), "\n")
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

// inside matches a folder whose names no other module uses.
var inside = regexp.MustCompile(`(?:^|/)(?:internal|examples)/`)

// public reports whether other modules can use what a package exports.
func public(folder string, files []*source) bool {
	return !inside.MatchString(folder+"/") && files[0].Name.Name != "main"
}

// folders are the folders of the project that have code.
func folders(t *testing.T) []string {
	found := set{}
	err := filepath.WalkDir("..", func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if name := filepath.ToSlash(p); path.Ext(name) == ".go" {
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
	if list.Dir = ".."; module != "coles" {
		list.Dir = filepath.Join("..", filepath.FromSlash(module))
	}
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

// A source is a parsed file and the set of its positions.
type source struct {
	*ast.File
	set *token.FileSet
}

// parsed has the files of a package, and the lines of these and of its tests.
func parsed(t *testing.T, folder string) (files []*source, lines, tests int) {
	set := token.NewFileSet()
	paths, _ := filepath.Glob(filepath.Join("..", filepath.FromSlash(folder), "*.go"))
	for _, p := range paths {
		f, err := parser.ParseFile(set, p, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		n := set.File(f.FileStart).LineCount()
		if strings.HasSuffix(p, "_test.go") {
			tests += n
			continue
		}
		files, lines = append(files, &source{f, set}), lines+n
		if ast.IsGenerated(f) {
			continue
		}
		if n > longestFile {
			t.Errorf("%s has %d lines, at most %d are wanted", p, n, longestFile)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				if n := set.Position(fn.End()).Line - set.Position(fn.Pos()).Line + 1; n > longestFunction {
					t.Errorf("%s: %s has %d lines, at most %d are wanted", p, fn.Name.Name, n, longestFunction)
				}
			}
		}
	}
	return files, lines, tests
}

// exportedNames counts the names at the top level that other packages can use, without methods.
func exportedNames(files []*source) (n int) {
	count := func(names ...*ast.Ident) {
		for _, name := range names {
			if name.IsExported() {
				n++
			}
		}
	}
	for _, f := range files {
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
	}
	return n
}

// pairs counts the pairs of files of a package that use each other's declarations. Files for several systems may
// declare a name twice, which is no matter here.
func pairs(t *testing.T, files []*source, exports map[string]string) (n int) {
	t.Helper()
	set, trees := files[0].set, []*ast.File(nil)
	for _, f := range files {
		trees = append(trees, f.File)
	}
	open := func(name string) (io.ReadCloser, error) { return os.Open(exports[name]) }
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(set, "gc", open), Error: func(error) {}, FakeImportC: true}
	self, _ := config.Check("", set, trees, info)
	uses := map[[2]string]bool{}
	for name, of := range info.Uses {
		if of.Pkg() == self && of.Pos().IsValid() {
			uses[[2]string{set.Position(name.Pos()).Filename, set.Position(of.Pos()).Filename}] = true
		}
	}
	for pair := range uses {
		if pair[0] < pair[1] && uses[[2]string{pair[1], pair[0]}] {
			n++
		}
	}
	return n
}
