//go:build js && wasm

// Command page is the part of the page that runs as WebAssembly, in a worker: static/worker.js
// calls the function it leaves there.
package main

import (
	"context"
	"encoding/json"
	"syscall/js"

	"coles/examples/browser/view"
)

func main() {
	requests := make(chan view.Request)
	js.Global().Set("answer", js.FuncOf(func(_ js.Value, args []js.Value) any {
		requests <- request(args[0])
		return nil
	}))
	var v view.View
	for r := range requests {
		v.Answer(context.Background(), r, send)
	}
}

// request reads {sample}, {edges, features, labels: {name, bytes}}, {want, clusters} or {node}.
func request(v js.Value) view.Request {
	var r view.Request
	if sample := v.Get("sample"); sample.Truthy() {
		r.Sample = sample.String()
	} else if want := v.Get("want"); want.Truthy() {
		r.Want, r.Clusters = want.String(), v.Get("clusters").Int()
	} else if node := v.Get("node"); !node.IsUndefined() {
		r.Node = node.Int()
	} else {
		r.Files = map[string]view.File{}
		for _, part := range []string{"edges", "features", "labels"} {
			if file := v.Get(part); file.Truthy() {
				data := make([]byte, file.Get("bytes").Length())
				js.CopyBytesToGo(data, file.Get("bytes"))
				r.Files[part] = view.File{Name: file.Get("name").String(), Data: data}
			}
		}
	}
	return r
}

// send hands a message to the page as JSON, which passes to it in one piece.
func send(message any) {
	text, err := json.Marshal(message)
	if err != nil {
		panic(err) // the messages are numbers that were checked, and text
	}
	js.Global().Call("postMessage", string(text))
}
