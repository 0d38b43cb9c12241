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

// request reads {sample}, {edges, features, labels: {name, bytes}, options}, {preview: {name, bytes}},
// {want, clusters} or {node}; options are JSON.
func request(v js.Value) view.Request {
	var r view.Request
	if sample := v.Get("sample"); sample.Truthy() {
		r.Sample = sample.String()
	} else if want := v.Get("want"); want.Truthy() {
		r.Want, r.Clusters = want.String(), v.Get("clusters").Int()
	} else if preview := v.Get("preview"); preview.Truthy() {
		f := file(preview)
		r.Preview = &f
	} else if node := v.Get("node"); !node.IsUndefined() {
		r.Node = node.Int()
	} else {
		r.Files = map[string]view.File{}
		for _, part := range []string{"edges", "features", "labels"} {
			if one := v.Get(part); one.Truthy() {
				r.Files[part] = file(one)
			}
		}
		if err := json.Unmarshal([]byte(v.Get("options").String()), &r.Options); err != nil {
			panic(err) // the page writes them
		}
	}
	return r
}

func file(v js.Value) view.File {
	data := make([]byte, v.Get("bytes").Length())
	js.CopyBytesToGo(data, v.Get("bytes"))
	return view.File{Name: v.Get("name").String(), Data: data}
}

// send hands a message to the page as JSON, which passes to it in one piece.
func send(message any) {
	text, err := json.Marshal(message)
	if err != nil {
		panic(err) // the messages are numbers that were checked, and text
	}
	js.Global().Call("postMessage", string(text))
}
