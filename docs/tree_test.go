package docs

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"coles/internal/parallel"
)

// A set of names.
type set map[string]bool

// A tree holds the names that the project declares. A package is known by its folder, "." for the root.
type tree struct {
	files    fs.FS
	pages    map[string]string   // the texts of Markdown files
	folders  map[string][]string // the packages of a name
	names    map[string]set      // what a package, or a file, declares: "Name", "Type.Member"
	types    map[string]set      // the members of all types of a name, "*" where they may be any
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

// readTree parses every Go file, those of nested modules too.
func readTree(files fs.FS) (*tree, error) {
	tr := &tree{
		files: files, pages: map[string]string{}, folders: map[string][]string{}, names: map[string]set{}, types: map[string]set{},
		embeds: map[string]set{}, members: set{}, imports: map[string]set{}, foreign: set{}, literals: set{},
	}
	var paths []string
	err := fs.WalkDir(files, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata"):
			return fs.SkipDir
		case path.Ext(p) == ".go":
			paths = append(paths, p)
		case path.Ext(p) == ".md":
			content, err := fs.ReadFile(files, p)
			tr.pages[p] = string(content)
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	parsed, errs := make([]*ast.File, len(paths)), make([]error, len(paths))
	parallel.For(context.Background(), len(paths), func(k int) {
		content, err := fs.ReadFile(files, paths[k])
		if err == nil {
			parsed[k], err = parser.ParseFile(token.NewFileSet(), paths[k], content, parser.ParseComments|parser.SkipObjectResolution)
		}
		errs[k] = err
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
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
	if name == "main" || strings.HasPrefix(folder, "examples/shared") {
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
					owner, fields := spec.Name.Name, &ast.FieldList{}
					add("", owner)
					switch of := spec.Type.(type) {
					case *ast.StructType:
						fields = of.Fields
					case *ast.InterfaceType:
						fields = of.Methods
					default:
						put(tr.embeds, folder+":"+owner, typeName(of))
					}
					for _, field := range fields.List {
						for _, name := range field.Names {
							add(owner, name.Name)
						}
						if embedded := typeName(field.Type); field.Names == nil {
							put(tr.embeds, folder+":"+owner, embedded)
							add(owner, embedded)
						}
					}
				}
			}
		}
	}
}

// typeName is the last name of a type, without its package, pointer and parameters.
func typeName(e ast.Expr) string {
	name, _, _ := strings.Cut(types.ExprString(e), "[")
	return name[strings.LastIndexAny(name, "*.")+1:]
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
					put(tr.types, owner, "*")
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

// any reports whether a package or a file declares a name that is right.
func (tr *tree) any(where string, right func(name string) bool) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(tr.names[where])), right)
}

// wrong says what is wrong with a chain of names, "a.Name.Member", written in Go. A first name that is no
// package is a variable, a type or a member; a package of another module is not looked into.
func (tr *tree) wrong(chain []string) string {
	first := chain[0]
	if len(chain) > 1 {
		folders, members := tr.folders[first], tr.types[first]
		name := strings.Join(chain[1:min(3, len(chain))], ".")
		switch {
		case len(folders) > 0 && ast.IsExported(name):
			if !slices.ContainsFunc(folders, func(folder string) bool { return tr.has(folder, name) }) {
				return "package " + first + " has no " + name
			}
			return ""
		case tr.foreign[first]:
			return ""
		case members != nil && exported(first) && exported(chain[1]) && !members[chain[1]] && !members["*"]:
			return "nothing declares " + first + "." + chain[1]
		}
	}
	for _, name := range chain {
		if exported(name) && !tr.members[name] {
			return "nothing declares " + name
		}
	}
	return ""
}

// exported reports whether a package may export a name. Capitals and digits alone may be a symbol of the
// method or a variable of the environment.
var exported = regexp.MustCompile(`^[A-Z]\w*[a-z]\w*$`).MatchString
