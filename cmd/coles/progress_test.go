package main

import (
	"bytes"
	"testing"
)

func TestProgressLine(t *testing.T) {
	var b bytes.Buffer
	none := newProgress(&b)
	if none != nil || none.options() != nil {
		t.Error("progress is shown where no terminal is")
	}
	none.clear()
	line := &progressLine{w: &b}
	line.show("solve", 1, 12)
	line.show("solve", 2, 12) // too soon after
	line.clear()
	if got, want := b.String(), "\rsolve 1/12\r          \r"; got != want {
		t.Errorf("progress prints %q, want %q", got, want)
	}
}
