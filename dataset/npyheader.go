package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// parseHeader reads the header of an .npy file, a Python dict literal such as
//
//	{'descr': '<f4', 'fortran_order': False, 'shape': (10, 3), }
func parseHeader(text []byte) (*npyHeader, error) {
	p := &literal{rest: string(text)}
	h := &npyHeader{}
	seen := map[string]bool{}
	p.expect("{")
	for p.err == nil && !p.accept("}") {
		key := p.quoted()
		p.expect(":")
		if p.err == nil && seen[key] {
			return nil, fmt.Errorf("key %q: %w", key, ErrDuplicate)
		}
		seen[key] = true
		switch key {
		case "descr":
			if p.peek("[") {
				return nil, fmt.Errorf("%w: records are not read", ErrFormat)
			}
			h.descr(p)
		case "fortran_order":
			h.fortran = p.boolean()
		case "shape":
			h.shape = p.tuple()
		default:
			p.failf("unknown key %q", key)
		}
		if p.err == nil && !p.accept(",") && !p.peek("}") {
			p.failf("expected , or } at %q", p.rest)
		}
	}
	if p.err == nil && strings.TrimSpace(p.rest) != "" {
		p.failf("bytes after the header: %q", p.rest)
	}
	if p.err == nil && len(seen) != 3 {
		p.err = fmt.Errorf("%w: descr, fortran_order and shape are required", ErrMissing)
	}
	return h, p.err
}

// descr reads the element type: byte order, kind and size.
func (h *npyHeader) descr(p *literal) {
	d := p.quoted()
	if p.err != nil {
		return
	}
	order := byte('|')
	if d != "" && strings.IndexByte("<>|=", d[0]) >= 0 {
		order, d = d[0], d[1:]
	}
	if d == "" {
		p.failf("no element type")
		return
	}
	if d[0] == 'O' {
		p.err = fmt.Errorf("%w: an array of Python objects", ErrObject)
		return
	}
	size, err := strconv.Atoi(d[1:])
	if err != nil || size < 1 || size > maxHeader {
		p.failf("element type %q", d)
		return
	}
	h.kind, h.size = d[0], size
	h.order = binary.LittleEndian
	switch order {
	case '>':
		h.order = binary.BigEndian
	case '|':
		if size > 1 && h.kind != 'S' {
			p.failf("element type %q without byte order", d)
		}
	}
	ok := false
	switch h.kind {
	case 'f':
		ok = size == 4 || size == 8
	case 'i', 'u':
		ok = size == 1 || size == 2 || size == 4 || size == 8
	case 'b':
		ok = size == 1
	case 'S':
		ok = true
	case 'U':
		h.size, ok = 4*size, true
	}
	if !ok {
		p.failf("element type %q is not read", d)
	}
}

// literal is a cursor over a Python literal; after the first fault it stands still.
type literal struct {
	rest string
	err  error
}

func (p *literal) failf(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%w: "+format, append([]any{ErrFormat}, args...)...)
	}
}

func (p *literal) peek(token string) bool {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	return p.err == nil && strings.HasPrefix(p.rest, token)
}

func (p *literal) accept(token string) bool {
	if !p.peek(token) {
		return false
	}
	p.rest = p.rest[len(token):]
	return true
}

func (p *literal) expect(token string) {
	if !p.accept(token) {
		p.failf("expected %q at %q", token, p.rest)
	}
}

func (p *literal) quoted() string {
	quote := "'"
	if p.peek(`"`) {
		quote = `"`
	}
	p.expect(quote)
	s, rest, ok := strings.Cut(p.rest, quote)
	if p.err != nil || !ok {
		p.failf("a text that does not close")
		return ""
	}
	p.rest = rest
	return s
}

func (p *literal) boolean() bool {
	if p.accept("True") {
		return true
	}
	p.expect("False")
	return false
}

// tuple reads (), (3,) or (3, 4). NumPy of Python 2 wrote 3L for 3.
func (p *literal) tuple() []int {
	var t []int
	p.expect("(")
	for p.err == nil && !p.accept(")") {
		p.rest = strings.TrimLeft(p.rest, " ")
		k := 0
		for k < len(p.rest) && p.rest[k] >= '0' && p.rest[k] <= '9' {
			k++
		}
		v, err := strconv.Atoi(p.rest[:k])
		if errors.Is(err, strconv.ErrRange) {
			p.err = fmt.Errorf("a size of %s: %w", p.rest[:k], ErrTooLarge)
		}
		if err != nil {
			p.failf("expected a size at %q", p.rest)
			return nil
		}
		t = append(t, v)
		p.rest = p.rest[k:]
		p.accept("L")
		if !p.accept(",") && !p.peek(")") {
			p.failf("expected , or ) at %q", p.rest)
		}
	}
	return t
}
