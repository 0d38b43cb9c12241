package docs

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A set of names.
type set map[string]bool

// A tree holds the names that the project declares. A package is known by its folder, "." for the root.
type tree struct {
	files    fs.FS
	pages    []string            // Markdown files
	folders  map[string][]string // the packages of a name
	names    map[string]set      // what a package, or a file, declares: "Name", "Type.Member"
	types    map[string]set      // the members of all types of a name
	embeds   map[string]set      // the types that "folder:Type" embeds
	members  set                 // the names of all packages, methods and fields
	imports  map[string]set      // the folders that a package's code imports
	foreign  set                 // the names of imported packages of other modules
	literals set                 // the strings of the main packages and of what they share
	links    []link              // [Name] in the comments of code
}

// A link is [Name] in a comment.
type link struct{ file, folder, name string }

var docLink = regexp.MustCompile(`(?:^|[\s(])\[\*?((?:\w+\.)?[A-Z]\w*(?:\.[A-Z]\w*)?)\](?:$|[\s.,;:)'’])`)

// project is the checkout.
var project = sync.OnceValues(func() (*tree, error) { return readTree(os.DirFS("..")) })

// readTree parses every Go file, those of nested modules too.
func readTree(files fs.FS) (*tree, error) {
	var pages, paths []string
	err := fs.WalkDir(files, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata"):
			return fs.SkipDir
		case path.Ext(p) == ".go":
			paths = append(paths, p)
		case path.Ext(p) == ".md":
			pages = append(pages, p)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	parsed, errs := make([]*ast.File, len(paths)), make([]error, len(paths))
	var group sync.WaitGroup
	for part := range runtime.GOMAXPROCS(0) {
		group.Add(1)
		go func() {
			defer group.Done()
			for k := part; k < len(paths); k += runtime.GOMAXPROCS(0) {
				content, err := fs.ReadFile(files, paths[k])
				if err == nil {
					parsed[k], err = parser.ParseFile(token.NewFileSet(), paths[k], content, parser.ParseComments|parser.SkipObjectResolution)
				}
				errs[k] = err
			}
		}()
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	tr := &tree{
		files: files, pages: pages, folders: map[string][]string{}, names: map[string]set{}, types: map[string]set{}, embeds: map[string]set{},
		members: set{}, imports: map[string]set{}, foreign: set{}, literals: set{},
	}
	for k, file := range parsed {
		tr.add(paths[k], file)
	}
	tr.promote()
	return tr, nil
}

func (tr *tree) add(file string, f *ast.File) {
	folder, name := path.Dir(file), strings.TrimSuffix(f.Name.Name, "_test")
	if !slices.Contains(tr.folders[name], folder) {
		tr.folders[name] = append(tr.folders[name], folder)
	}
	isTest := strings.HasSuffix(file, "_test.go")
	for _, spec := range f.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		inside, ours := strings.CutPrefix(imported+"/", "coles/")
		switch {
		case !ours:
			tr.foreign[path.Base(imported)] = true
		case !isTest:
			put(tr.imports, folder, path.Clean(inside))
		}
	}
	tr.declare(folder, file, f)
	if isTest {
		return
	}
	if tr.imports[folder] == nil {
		tr.imports[folder] = set{}
	}
	if name == "main" || strings.HasPrefix(folder, "examples/internal") {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING {
				text, _ := strconv.Unquote(s.Value)
				tr.literals[text] = true
			}
			return true
		})
	}
	for _, group := range f.Comments {
		for _, found := range docLink.FindAllStringSubmatch(group.Text(), -1) {
			tr.links = append(tr.links, link{file, folder, found[1]})
		}
	}
}

func put(m map[string]set, key, name string) {
	if m[key] == nil {
		m[key] = set{}
	}
	m[key][name] = true
}

// declare adds the names that a file has at the top, and the names of methods and fields.
func (tr *tree) declare(folder, file string, f *ast.File) {
	add := func(owner, name string) {
		tr.members[name] = true
		if owner != "" {
			put(tr.types, owner, name)
			name = owner + "." + name
		}
		put(tr.names, folder, name)
		put(tr.names, file, name)
	}
	fields := func(owner string, list *ast.FieldList) {
		for _, field := range list.List {
			for _, name := range field.Names {
				add(owner, name.Name)
			}
			if embedded := typeName(field.Type); len(field.Names) == 0 {
				put(tr.embeds, folder+":"+owner, embedded)
				add(owner, embedded)
			}
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			owner := ""
			if d.Recv != nil {
				owner = typeName(d.Recv.List[0].Type)
			}
			add(owner, d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						add("", name.Name)
					}
				case *ast.TypeSpec:
					add("", spec.Name.Name)
					switch of := spec.Type.(type) {
					case *ast.StructType:
						fields(spec.Name.Name, of.Fields)
					case *ast.InterfaceType:
						fields(spec.Name.Name, of.Methods)
					default:
						put(tr.embeds, folder+":"+spec.Name.Name, typeName(of))
					}
				}
			}
		}
	}
}

// typeName is the last name of a type, without its package, pointer and parameters.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	}
	return ""
}

// promote gives types the members of those they embed, of which only the name is known. A type that embeds
// one of another module may have any member.
func (tr *tree) promote() {
	for range 3 { // what is embedded may embed in turn
		for at, embedded := range tr.embeds {
			folder, owner, _ := strings.Cut(at, ":")
			for name := range embedded {
				for member := range tr.types[name] {
					put(tr.names, folder, owner+"."+member)
					put(tr.types, owner, member)
				}
				if !tr.members[name] {
					put(tr.names, folder, owner+".*")
				}
			}
		}
	}
}

// has reports whether a package declares a name, "Name" or "Type.Member".
func (tr *tree) has(folder, name string) bool {
	owner, _, _ := strings.Cut(name, ".")
	return tr.names[folder][name] || name != owner && tr.names[folder][owner+".*"]
}

// declares reports whether a file declares a name, of a method or a field, too.
func (tr *tree) declares(file, name string) bool {
	for declared := range tr.names[file] {
		if declared == name || strings.HasSuffix(declared, "."+name) {
			return true
		}
	}
	return false
}

// test reports whether a package has a test, an example or a benchmark whose name matches.
func (tr *tree) test(folder string, name *regexp.Regexp) bool {
	for declared := range tr.names[folder] {
		if testName.MatchString(declared) && name.MatchString(declared) {
			return true
		}
	}
	return false
}

var testName = regexp.MustCompile(`^(Test|Benchmark|Fuzz|Example)([A-Z_]\w*)?$`)

// wrong says what is wrong with a chain of names, "a.Name.Member", written in Go. A first name that is no
// package is a variable, a type or a member; a package of another module is not looked into.
func (tr *tree) wrong(chain []string) string {
	first, rest := chain[0], chain[1:]
	folders := tr.folders[first]
	switch {
	case len(rest) > 0 && len(folders) > 0 && ast.IsExported(rest[0]):
		name := strings.Join(rest[:min(2, len(rest))], ".")
		if !slices.ContainsFunc(folders, func(folder string) bool { return tr.has(folder, name) }) {
			return "package " + first + " has no " + name
		}
		return ""
	case len(rest) > 0 && tr.foreign[first]:
		return ""
	}
	if len(rest) > 0 && exported(first) && exported(rest[0]) {
		name, isType := first+"."+rest[0], false
		for _, folders := range tr.folders {
			for _, folder := range folders {
				if tr.has(folder, name) {
					return ""
				}
				isType = isType || tr.names[folder][first]
			}
		}
		if isType {
			return "nothing declares " + name
		}
	}
	for _, name := range chain {
		if exported(name) && !tr.members[name] {
			return "nothing declares " + name
		}
	}
	return ""
}

var exportedName = regexp.MustCompile(`^[A-Z]\w*[a-z]\w*$`)

// exported reports whether a package may export a name. Capitals and digits alone may be a symbol of the
// method or a variable of the environment.
func exported(name string) bool { return exportedName.MatchString(name) }
