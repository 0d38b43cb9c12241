package main

import (
	"bytes"
	"encoding/json"
	"io"
)

// writeJSON writes an object a line, its members in the order of [cell.fields].
func writeJSON(w io.Writer, cells []cell) error {
	var b bytes.Buffer
	for _, c := range cells {
		for i, f := range c.fields() {
			value, err := json.Marshal(f.value)
			if err != nil {
				return err
			}
			b.WriteByte("{,"[min(i, 1)])
			b.WriteString(`"` + f.key + `":`)
			b.Write(value)
		}
		b.WriteString("}\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}
