package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/gofrs/flock"
)

// A batch is the changes of one request, or the identity of a journal's graph, or of the last fit.
type batch struct {
	Of          string                    `json:"of,omitempty"`
	Fitted      string                    `json:"fitted,omitempty"` // a fit of all before it; the hash of its model
	Nodes       []toldNode                `json:"nodes,omitempty"`
	Edges       []toldEdge                `json:"edges,omitempty"` // of weight 0, removed ones
	Features    map[string]map[string]any `json:"features,omitempty"`
	RemoveNodes []string                  `json:"remove_nodes,omitempty"`
}

// features are all features of a batch, by node.
func (c batch) features() map[string]map[string]any {
	all := map[string]map[string]any{}
	for _, n := range c.Nodes {
		all[n.ID] = n.Features
	}
	maps.Copy(all, c.Features)
	return all
}

// joins are all edges of a batch.
func (c batch) joins() []toldEdge {
	all := slices.Clone(c.Edges)
	for _, n := range c.Nodes {
		for _, e := range n.Edges {
			all = append(all, toldEdge{n.ID, e})
		}
	}
	return all
}

// A toldNode is a node that is new.
type toldNode struct {
	ID       string         `json:"id"`
	Features map[string]any `json:"features,omitempty"`
	Edges    []toldEnd      `json:"edges,omitempty"`
}

// A toldEnd is the other end of an edge; no weight is 1.
type toldEnd struct {
	To     string   `json:"to"`
	Weight *float64 `json:"weight,omitempty"`
}

type toldEdge struct {
	From string `json:"from"`
	toldEnd
}

func (e toldEnd) weight() float64 {
	if e.Weight == nil {
		return 1
	}
	return *e.Weight
}

// A journal is a file of lines: the CRC-32C of a batch in eight hexadecimal digits, a space, and the batch in JSON. It can
// be read, cut and mended by hand, and every line is checked.
type journal struct {
	path string
	of   string // the data that it is about
	lock *flock.Flock
	file *os.File
	size int64
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// openJournal opens or begins the journal of a graph in a folder, which it locks, and replays its batches. A last line that a
// crash has cut was never answered, and is dropped. Any other line that cannot be taken is an error, or is set aside in a file
// of its own. Notes tell of both.
func openJournal(dir, of string, setAside bool, take func(batch) error) (j *journal, notes []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, nil, err
	}
	j = &journal{path: filepath.Join(dir, "journal"), of: of, lock: flock.New(filepath.Join(dir, "lock"))}
	if alone, err := j.lock.TryLock(); err != nil {
		return nil, nil, err
	} else if !alone {
		number, _ := os.ReadFile(j.lock.Path())
		return nil, nil, fmt.Errorf("another service, process %s, keeps %s: stop it, or name another folder by -dir", number, dir)
	}
	os.WriteFile(j.lock.Path(), []byte(strconv.Itoa(os.Getpid())), 0o666) // for the words of others alone
	if j.file, err = os.OpenFile(j.path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, nil, errors.Join(err, j.lock.Close())
	}
	if notes, err = j.replay(setAside, take); err == nil && j.size == 0 {
		notes = append(notes, j.path+" is empty, and begins with the files")
		if err = j.append(batch{Of: of}); err == nil {
			err = syncFolder(dir)
		}
	}
	if err != nil {
		return nil, nil, errors.Join(err, j.close())
	}
	return j, notes, nil
}

// close lets another service have the folder.
func (j *journal) close() error { return errors.Join(j.file.Close(), j.lock.Close()) }

func (j *journal) replay(setAside bool, take func(batch) error) (notes []string, err error) {
	from := bufio.NewReaderSize(j.file, 1<<20)
	var kept, odd bytes.Buffer // with setAside, lines that are taken, and others
	cut := 0                   // of the last line
	for number := 1; ; number++ {
		line, err := from.ReadBytes('\n')
		if err == io.EOF {
			if len(line) > 0 {
				cut, notes = len(line), append(notes, fmt.Sprintf("%s: %d bytes of a change that was not answered are left out", j.path, len(line)))
			}
			break
		}
		if err != nil {
			return nil, err
		}
		b, err := batchOf(line)
		switch {
		case number > 1 && err == nil:
			err = take(b)
		case number == 1 && err == nil && b.Of != j.of:
			err = errors.New("it is of another graph: serve the files that it was begun with, or name an empty folder by -dir")
		}
		switch {
		case err == nil:
			if j.size += int64(len(line)); setAside {
				kept.Write(line)
			}
		case number == 1:
			return nil, fmt.Errorf("%s:1: %w", j.path, err)
		case !setAside:
			return nil, fmt.Errorf("%s:%d: %w; remove the line, or start with -set-aside, which keeps it in %s.aside", j.path, number, err, j.path)
		default:
			odd.Write(line)
			notes = append(notes, fmt.Sprintf("%s:%d is set aside in %s.aside: %v", j.path, number, j.path, err))
		}
	}
	if odd.Len() == 0 {
		return notes, errors.Join(j.file.Truncate(j.size), second(j.file.Seek(j.size, io.SeekStart)))
	}
	aside, err := os.OpenFile(j.path+".aside", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(second(aside.Write(odd.Bytes())), aside.Sync(), aside.Close()); err != nil {
		return nil, err
	}
	return notes, j.rewrite(j.size+int64(odd.Len()+cut), func(w io.Writer) error { return second(kept.WriteTo(w)) })
}

func second[T any](_ T, err error) error { return err }

// batchOf reads a line.
func batchOf(line []byte) (b batch, err error) {
	sum, text, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
	if string(sum) != checksum(text) {
		return b, errors.New("damaged: the line is not what its checksum is of; the lines before it are whole")
	}
	read := json.NewDecoder(bytes.NewReader(text))
	read.UseNumber()
	return b, read.Decode(&b)
}

func checksum(text []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(text, castagnoli)) }

// mine is an error unless the path leads to the open file, and the file has the length that was written.
func (j *journal) mine(size int64) error {
	open, err := j.file.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(j.path); err != nil || !os.SameFile(open, there) {
		return fmt.Errorf("%s is not the file any more that this service writes: it was moved, removed or replaced; put it back, or start the service again", j.path)
	}
	if open.Size() != size {
		return fmt.Errorf("%s has %d bytes, and this service has written %d: another program writes to it", j.path, open.Size(), size)
	}
	return nil
}

// append writes a batch. It returns when the batch is on the disk, under its name, or leaves the file as it was.
func (j *journal) append(b batch) error {
	if err := j.mine(j.size); err != nil {
		return err
	}
	n, err := writeLine(j.file, b)
	if err == nil {
		err = j.file.Sync()
	}
	if err == nil {
		err = j.mine(j.size + n)
	}
	if err != nil {
		return errors.Join(err, j.file.Truncate(j.size), second(j.file.Seek(j.size, io.SeekStart)))
	}
	j.size += n
	return nil
}

func writeLine(w io.Writer, b batch) (int64, error) {
	text, err := json.Marshal(b)
	if err != nil {
		return 0, err
	}
	n, err := fmt.Fprintf(w, "%s %s\n", checksum(text), text)
	return int64(n), err
}

// replace rewrites the file as batches and its own lines from a byte on: the same changes in fewer bytes.
func (j *journal) replace(all []batch, tail int64) error {
	return j.rewrite(j.size, func(w io.Writer) error {
		for _, b := range all {
			if _, err := writeLine(w, b); err != nil {
				return err
			}
		}
		return second(io.Copy(w, io.NewSectionReader(j.file, tail, j.size-tail)))
	})
}

// rewrite makes a file that takes the place of this one, of so many bytes, and its mode.
func (j *journal) rewrite(size int64, fill func(io.Writer) error) error {
	was, err := j.file.Stat()
	if err != nil {
		return err
	}
	next, err := os.OpenFile(j.path+".next", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(next.Name()) // unless it has its name
	to := bufio.NewWriter(next)
	for _, do := range []func() error{
		func() error { return fill(to) },
		to.Flush,
		func() error { return next.Chmod(was.Mode().Perm()) },
		next.Sync,
		func() error { return j.mine(size) },
		func() error { return os.Rename(next.Name(), j.path) },
	} {
		if err := do(); err != nil {
			return errors.Join(err, next.Close())
		}
	}
	j.file.Close() // of a file without a name now
	j.file = next
	j.size, err = next.Seek(0, io.SeekCurrent)
	return errors.Join(err, syncFolder(filepath.Dir(j.path)))
}

// syncFolder has the names in a folder on the disk.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
