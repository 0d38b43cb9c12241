package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"coles/internal/testkit"
)

// A devtools is a browser's end of the DevTools protocol.
type devtools struct {
	to      io.Writer
	from    *bufio.Reader
	id      int
	session string
}

// call sends a command and returns what is of use of its result.
func (d *devtools) call(method string, params map[string]any) (result struct {
	SessionID   string
	TargetInfos []struct{ TargetID, Type string }
}) {
	d.id++
	message := map[string]any{"id": d.id, "method": method, "params": params}
	if d.session != "" {
		message["sessionId"] = d.session
	}
	d.to.Write(append(testkit.Must(json.Marshal(message)), 0))
	for {
		text, err := d.from.ReadBytes(0)
		if err != nil {
			return result
		}
		answer := struct {
			ID     int
			Result any
		}{Result: &result}
		if json.Unmarshal(text[:len(text)-1], &answer); answer.ID == d.id {
			return result
		}
	}
}

// ofPage sends a command to the page.
func (d *devtools) ofPage(method string, params map[string]any) {
	if d.session == "" {
		targets := d.call("Target.getTargets", nil).TargetInfos
		page := slices.IndexFunc(targets, func(t struct{ TargetID, Type string }) bool { return t.Type == "page" })
		d.session = d.call("Target.attachToTarget", map[string]any{"targetId": targets[page].TargetID, "flatten": true}).SessionID
	}
	d.call(method, params)
}

// scheme has the page think that its user prefers dark or light.
func (d *devtools) scheme(kind string) {
	d.ofPage("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]string{"name": "prefers-color-scheme", "value": kind}}})
}

// press presses the button of a name as the page's user would.
func (d *devtools) press(name string) {
	d.ofPage("Runtime.evaluate", map[string]any{"expression": fmt.Sprintf("find('[name=%s]').click()", name), "userGesture": true})
}
