package setting

// A Way is a name that the text form of a V may begin with, and how the rest is read.
type Way[V any] struct {
	Name string
	Read func(f *Form) (V, error)
}

// WayOf is a [Way] of which every argument is a number.
func WayOf[V any](name string, read func(f *Form) V) Way[V] {
	return Way[V]{name, func(f *Form) (V, error) { return read(f), nil }}
}

// ReadText sets a choice from a text, if the text is complete and check finds nothing wrong.
func ReadText[V any](to *V, text []byte, ways []Way[V], check func(V) error) error {
	f := Parse(TypeName(*to), text)
	var names []string
	for _, w := range ways {
		if names = append(names, w.Name); w.Name != f.Name {
			continue
		}
		read, err := w.Read(f)
		if err == nil {
			err = f.End()
		}
		if err == nil {
			err = check(read)
		}
		if err == nil {
			*to = read
		}
		return err
	}
	return f.Unknown(names)
}
