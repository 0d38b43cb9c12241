// Package docs has the pages, and tests that everything they name is there.
package docs

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPages looks up what the pages name: links, anchors, paths, commands and names of Go, and who imports whom.
func TestPages(t *testing.T) {
	tr, err := readTree(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, lie := range slices.Concat(tr.lies(), tr.architecture(tr.pages["docs/architecture.md"])) {
		t.Error(lie)
	}
}

// lies lists what the pages and the comments of code name and the tree has not, after its file and line.
func (tr *tree) lies() (all []string) {
	for _, file := range slices.Sorted(maps.Keys(tr.pages)) {
		p := &page{tree: tr, file: file, home: home(file)}
		p.read()
		all = append(all, p.lies...)
	}
	for _, l := range tr.links {
		chain := strings.Split(l.name, ".")
		if !tr.has(l.folder, l.name) && (len(chain) == 1 || tr.wrong(chain) != "") && exported(chain[len(chain)-1]) {
			all = append(all, fmt.Sprintf("%s: [%s] is no link", l.file, l.name))
		}
	}
	return all
}

// A page is a Markdown file.
type page struct {
	*tree
	file   string
	home   string // the folder of the page's module
	folder string // where the commands of a section run
	line   int
	lies   []string
}

// home is the folder whose pages lie in docs/ or beside it.
func home(file string) string {
	return path.Clean(strings.TrimSuffix(path.Dir(file), "docs"))
}

func (p *page) lie(format string, args ...any) {
	if what := fmt.Sprintf(format, args...); what != "" {
		p.lies = append(p.lies, fmt.Sprintf("%s:%d: %s", p.file, p.line, what))
	}
}

var (
	fence     = regexp.MustCompile("(?ms)^\\s*```.*?^\\s*```\\s*$")
	heading   = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	unnamed   = regexp.MustCompile(`[^\pL\pN_-]`)             // in an anchor
	ends      = regexp.MustCompile("^\\s*$|^#|^\\||^\\s*```") // a paragraph
	textLink  = regexp.MustCompile(`\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)`)
	codeSpan  = regexp.MustCompile("`+([^`]+)`+")
	plainFile = regexp.MustCompile(`[\w.][\w./-]*\.(?:go|md)\b`)
	pathLike  = regexp.MustCompile(`^[\w.][\w.*-]*(?:/[\w.*-]*)+$|^[\w-]+\.(?:go|md)$`)
	inFolder  = regexp.MustCompile("[Ii]n the (?:root|folder `([a-z./]+)`)")
	declared  = regexp.MustCompile("`(\\w+)` (?:in|of) `([\\w./]+\\.go)`")
	hyphened  = regexp.MustCompile(`^\w+(?:-\w+)+$`)
	inner     = regexp.MustCompile(`^[a-z]+[A-Z]\w*$`)
)

// anchors collects the anchors of the headings of a text, as GitHub makes them.
func anchors(text string) set {
	all := set{}
	for _, found := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		words := strings.ToLower(textLink.ReplaceAllString(found[1], "$1"))
		anchor := unnamed.ReplaceAllString(strings.ReplaceAll(words, " ", "-"), "")
		for n, name := 1, anchor; all[anchor]; n++ {
			anchor = fmt.Sprintf("%s-%d", name, n)
		}
		all[anchor] = true
	}
	return all
}

// read goes through the page, block by block.
func (p *page) read() {
	p.folder = p.home
	lines := strings.Split(p.pages[p.file], "\n")
	theirs := -1 // the column of a table that has the words of other libraries
	for k := 0; k < len(lines); k++ {
		line := lines[k]
		p.line = k + 1
		language, fenced := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case fenced:
			first := k + 1
			for k++; k < len(lines) && strings.TrimSpace(lines[k]) != "```"; k++ {
			}
			p.block(language, lines[first:k])
		case strings.HasPrefix(line, "|"):
			cells := strings.Split(strings.ReplaceAll(strings.Trim(line, "|"), `\|`, "∣"), "|")
			if k == 0 || !strings.HasPrefix(lines[k-1], "|") {
				theirs = slices.IndexFunc(cells, func(cell string) bool { return strings.TrimSpace(cell) == "there" })
			}
			for column, cell := range cells {
				if column != theirs {
					p.prose(cell, line)
				}
			}
		case strings.TrimSpace(line) != "": // a paragraph, in which a span of code may go on in the next line
			if heading.MatchString(line) {
				p.folder = p.home
			}
			first := k
			for k+1 < len(lines) && !ends.MatchString(lines[k+1]) {
				k++
			}
			text := strings.Join(lines[first:k+1], "\n")
			p.prose(text, text)
		}
	}
}

// prose reads text with links and spans of code. A name of a file is looked for in the folders that
// the text around has.
func (p *page) prose(text, around string) {
	for _, found := range textLink.FindAllStringSubmatch(text, -1) {
		p.link(found[2])
	}
	if found := inFolder.FindStringSubmatch(text); found != nil {
		p.folder = cmp.Or(found[1], ".")
		p.path(p.folder, around)
	}
	for _, found := range declared.FindAllStringSubmatch(text, -1) {
		right := func(name string) bool { return name == found[1] || strings.HasSuffix(name, "."+found[1]) }
		if where := p.path(found[2], around); where != "" && !p.any(where, right) {
			p.lie("%s does not declare %s", where, found[1])
		}
	}
	text = textLink.ReplaceAllString(text, "$1")
	for _, found := range codeSpan.FindAllStringSubmatch(text, -1) {
		p.span(strings.Join(strings.Fields(found[1]), " "), around)
	}
	for _, file := range plainFile.FindAllString(codeSpan.ReplaceAllString(text, ""), -1) {
		p.path(file, around)
	}
}

// link looks for a file, an anchor or both.
func (p *page) link(target string) {
	if strings.Contains(target, ":") {
		return
	}
	file, anchor, anchored := strings.Cut(target, "#")
	to := p.file
	if file != "" {
		to = path.Join(path.Dir(p.file), file)
	}
	if !p.exists(to) {
		p.lie("there is no %s", to)
	} else if anchored && !anchors(p.pages[to])[anchor] {
		p.lie("%s has no section #%s", to, anchor)
	}
}

func (p *page) exists(name string) bool {
	found, err := fs.Glob(p.files, path.Clean(name))
	return err == nil && len(found) > 0
}

// span reads code among words: a command, a path, or Go.
func (p *page) span(code, around string) {
	first, _, several := strings.Cut(code, " ")
	switch {
	case strings.HasPrefix(code, "-") || several && regexp.MustCompile(`^[a-z]+$`).MatchString(first):
		p.command(code)
	case pathLike.MatchString(code):
		p.path(code, around)
	case inner.MatchString(code) && !p.members[code]:
		p.lie("nothing declares %s", code)
	case !strings.HasPrefix(code, "/") && !strings.Contains(code, "://") && !hyphened.MatchString(code):
		p.goNames(code)
	}
}

// elsewhere matches a path that leaves the project, that begins with the host of a module, or that has a
// word of capitals for a name, as in DIR/NAME.npz.
var elsewhere = regexp.MustCompile(`^\.\./|^\w[\w-]*\.[\w.]*/|(?:^|[/_.])[A-Z]{2,}(?:[/_.]|$)`)

// path is the file or the folder of a name: at the root, next to the page, where commands run or, for a file
// without a folder, in one of the folders that the text around names; where that names none, anywhere.
func (p *page) path(name, around string) string {
	folders := []string{".", path.Dir(p.file), p.folder}
	plain := !strings.Contains(name, "/")
	if plain {
		for _, found := range codeSpan.FindAllStringSubmatch(around, -1) {
			if p.exists(found[1]) {
				folders = append(folders, found[1], path.Dir(found[1]))
			}
		}
		if len(folders) == 3 {
			folders = slices.AppendSeq(folders, maps.Keys(p.imports))
		}
	}
	name = strings.TrimPrefix(strings.TrimSuffix(name, "..."), "coles/")
	for _, folder := range folders {
		if file := path.Join(folder, name); p.exists(file) {
			return file
		}
	}
	if plain || !elsewhere.MatchString(name) {
		p.lie("there is no %s", name)
	}
	return ""
}

// block reads a fenced block.
func (p *page) block(language string, lines []string) {
	switch language {
	case "sh", "console":
		for line := range strings.SplitSeq(strings.ReplaceAll(strings.Join(lines, "\n"), "\\\n", ""), "\n") {
			p.line++
			for command := range strings.SplitSeq(line, "&&") {
				p.command(strings.TrimPrefix(strings.TrimSpace(command), "$ "))
			}
		}
	case "go":
		p.goNames(strings.Join(lines, "\n"))
	case "mermaid":
		for _, file := range plainFile.FindAllString(strings.Join(lines, "\n"), -1) {
			p.path(file, "")
		}
	}
}

var (
	here     = regexp.MustCompile(`^\.\.?(?:/|$)`)
	anOption = regexp.MustCompile(`^--?([a-z][\w-]+)$`)
	testName = regexp.MustCompile(`^(Test|Benchmark|Fuzz|Example)([A-Z_]\w*)?$`)
	selected = regexp.MustCompile(`-(?:run|bench|fuzz) '?([^'\s]+)'?`)
)

// command looks for the paths that a command is given, the tests it selects and the flags of the
// project's own programs.
func (p *page) command(line string) {
	line, _, _ = strings.Cut(line, " #")
	words := strings.Fields(line)
	isGo, own := words != nil && words[0] == "go", strings.HasPrefix(line, "-") || strings.HasPrefix(line, "coles ")
	var folders []string
	for k, word := range words {
		word = strings.Trim(word, `'"`)
		switch found := anOption.FindStringSubmatch(word); {
		case isGo && here.MatchString(word):
			folder := path.Join(p.folder, strings.TrimSuffix(word, "..."))
			if folders = append(folders, folder); !p.exists(folder) {
				p.lie("there is no %s", folder)
			}
			own = words[1] == "run"
		case isGo && words[1] == "doc" && k > 1:
			folder, _, _ := strings.Cut(path.Base(word), ".")
			if strings.Contains(word, "/") {
				p.path(path.Join(path.Dir(word), folder), "")
			}
			p.goNames(path.Base(word))
		case own && found != nil && !p.literals[found[1]]:
			p.lie("no program has the option %s", word)
		case !isGo && pathLike.MatchString(word) && word[0] != '.' && p.exists(strings.Split(word, "/")[0]):
			p.path(word, "")
		}
	}
	for _, found := range selected.FindAllStringSubmatch(line, -1) {
		for name := range strings.SplitSeq(found[1], "|") {
			pattern, err := regexp.Compile(name)
			right := func(name string) bool { return err == nil && testName.MatchString(name) && pattern.MatchString(name) }
			if isGo && name != "^$" && !slices.ContainsFunc(folders, func(folder string) bool { return p.any(folder, right) }) {
				p.lie("no test is called %s", name)
			}
		}
	}
}

// chain matches names of Go with dots between, and what may hold others: strings and comments.
var chain = regexp.MustCompile("\"[^\"\\n]*\"|//.*|[\\pL_][\\pL\\pN_]*(?:\\.[\\pL_][\\pL\\pN_]*)*")

// goNames looks up the names of Go code.
func (p *page) goNames(code string) {
	for _, found := range chain.FindAllString(code, -1) {
		if found[0] != '"' && found[0] != '/' {
			p.lie("%s", p.wrong(strings.Split(found, ".")))
		}
	}
}
