package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"coles/internal/setting"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Limits of a request.
var patience = 10 * time.Second // less in tests

const (
	maxBody     = 1 << 20
	maxNearest  = 1000
	mostTold    = 1000 // changes
	longestName = 1000 // of a node that is told, in bytes: an answer has maxNearest of them
)

// A failure is an error with a status of its own.
type failure struct {
	status int
	error
}

func (f failure) Unwrap() error { return f.error }

// A handler returns what to answer with. Its errors are of the request, for which 400 is the
// status, unless they are a [failure].
type handler func(http.ResponseWriter, *http.Request) (any, error)

// ServeHTTP answers in JSON, errors too.
func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	body, r := r.Body, r.WithContext(ctx) // a copy: the server looks at the body of its own to see whether a client waits
	r.Body = http.MaxBytesReader(w, body, maxBody)
	answer, err := h(w, r)
	status := http.StatusOK
	if err != nil {
		answer, status = map[string]string{"error": setting.Plain(err.Error())}, http.StatusBadRequest
		switch f, large := (failure{}), (*http.MaxBytesError)(nil); {
		case errors.As(err, &large):
			answer, status = map[string]string{"error": fmt.Sprintf("body: longer than %d bytes", maxBody)}, http.StatusRequestEntityTooLarge
			io.CopyN(io.Discard, body, 15*maxBody) // many clients do not look for an answer before they have sent all
		case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
			status = http.StatusServiceUnavailable
		case errors.As(err, &f):
			status = f.status
		}
	}
	text, err := json.Marshal(answer)
	if err != nil { // as of a number that is none
		text, status = []byte(`{"error": "the answer is no JSON"}`), http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(text, '\n')) // an error means that the client has gone
}

// wanted is how many others a request wants.
func wanted(r *http.Request) (int, error) {
	text := cmp.Or(r.FormValue("k"), "10")
	k, err := strconv.Atoi(text)
	if err != nil || k < 1 {
		return 0, fmt.Errorf("k=%s: want a whole number, at least 1", text)
	}
	return min(k, maxNearest), nil
}

// A match is a node by name.
type match struct {
	ID    string  `json:"id"`    // of the node
	Score float64 `json:"score"` // its cosine
}

func noNode(id string) error { return failure{http.StatusNotFound, fmt.Errorf("no node %q", id)} }

// decode reads a body that is one value of JSON, of known fields.
func decode(r *http.Request, to any) error {
	text, err := io.ReadAll(r.Body)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return failure{http.StatusRequestTimeout, fmt.Errorf("body: it has not come within %v", patience)}
	case err != nil:
		return fmt.Errorf("body: %w", err)
	}
	// Package encoding/json would take a key twice, or in capitals, and put U+FFFD for what is not UTF-8.
	err = jsonv2.Unmarshal(text, to, jsonv2.RejectUnknownMembers(true), jsonv2.WithUnmarshalers(jsonv2.UnmarshalFromFunc(exact)))
	syntax, kind := (*jsontext.SyntacticError)(nil), (*jsonv2.SemanticError)(nil)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jsonv2.ErrUnknownName) && errors.As(err, &kind):
		return fmt.Errorf("body%s: unknown key", kind.JSONPointer)
	case errors.As(err, &kind):
		return fmt.Errorf("body%s cannot be %s", kind.JSONPointer, cmp.Or(string(kind.JSONValue), kinds[kind.JSONKind]))
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
		return fmt.Errorf("body%s: the key is there twice", syntax.JSONPointer)
	case errors.As(err, &syntax):
		if err = syntax.Err; strings.HasSuffix(err.Error(), "max depth") {
			err = errors.New("more than 10,000 lists or objects inside one another")
		}
		return fmt.Errorf("body: byte %d: %w", syntax.ByteOffset, err)
	}
	return fmt.Errorf("body: %w", err)
}

var kinds = map[jsontext.Kind]string{'{': "an object", '[': "a list", '"': "text", '0': "a number", 't': "true", 'f': "false"}

// exact reads a number as it is written.
func exact(from *jsontext.Decoder, to *any) error {
	if from.PeekKind() != '0' {
		return jsonv2.SkipFunc
	}
	number, err := from.ReadValue()
	*to = json.Number(number)
	return err
}
