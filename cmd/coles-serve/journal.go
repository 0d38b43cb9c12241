package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// A batch is what one request changes, or what identifies the graph that a journal is about.
type batch struct {
	Of          string                    `json:"of,omitempty"`
	Nodes       []toldNode                `json:"nodes,omitempty"`
	Edges       []toldEdge                `json:"edges,omitempty"` // of weight 0, removed ones
	Features    map[string]map[string]any `json:"features,omitempty"`
	RemoveNodes []string                  `json:"remove_nodes,omitempty"`
}

// joins are all edges of a batch.
func (c batch) joins() []toldEdge {
	all := slices.Clone(c.Edges)
	for _, n := range c.Nodes {
		for _, e := range n.Edges {
			all = append(all, toldEdge{n.ID, e.To, e.Weight})
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
	From   string   `json:"from"`
	To     string   `json:"to"`
	Weight *float64 `json:"weight,omitempty"`
}

// A journal is a file of lines: the CRC-32C of a batch, eight hexadecimal digits, a space, and the batch in JSON. A
// file that can be read, cut and mended by hand serves a service of one process better than a database would, whose pages
// are not all checked.
type journal struct {
	path string
	file *os.File
	size int64
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// openJournal opens or begins the journal of a graph in a folder and replays its batches. What a crash has cut off the last line was
// never answered, and goes; its number of bytes is returned. Anything else that is damaged is an error.
func openJournal(dir, of string, take func(batch) error) (j *journal, cut int, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, 0, err
	}
	j = &journal{path: filepath.Join(dir, "journal")}
	if j.file, err = os.OpenFile(j.path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, 0, err
	}
	if cut, err = j.replay(of, take); err == nil && j.size == 0 {
		if err = j.append(batch{Of: of}); err == nil {
			err = syncFolder(dir)
		}
	}
	if err != nil {
		j.file.Close()
		return nil, 0, err
	}
	return j, cut, nil
}

func (j *journal) replay(of string, take func(batch) error) (cut int, err error) {
	from := bufio.NewReaderSize(j.file, 1<<20)
	for number := 1; ; number++ {
		line, err := from.ReadBytes('\n')
		if err == io.EOF {
			if err := j.file.Truncate(j.size); err != nil {
				return 0, err
			}
			_, err := j.file.Seek(j.size, io.SeekStart)
			return len(line), err
		}
		if err != nil {
			return 0, err
		}
		b, err := parse(line)
		if err == nil && number == 1 && b.Of != of {
			err = errors.New("it is of another graph: serve the files that it was begun with, or name an empty folder by -dir")
		}
		if err == nil && number > 1 {
			err = take(b)
		}
		if err != nil {
			return 0, fmt.Errorf("%s:%d: %w", j.path, number, err)
		}
		j.size += int64(len(line))
	}
}

// parse reads a line.
func parse(line []byte) (b batch, err error) {
	sum, text, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
	if string(sum) != checksum(text) {
		return b, errors.New("damaged: the line is not what its checksum is of; the lines before it are whole")
	}
	read := json.NewDecoder(bytes.NewReader(text))
	read.UseNumber()
	return b, read.Decode(&b)
}

func checksum(text []byte) string { return fmt.Sprintf("%08x", crc32.Checksum(text, castagnoli)) }

// append writes a batch and has it on the disk before it returns, or leaves the file as it was.
func (j *journal) append(b batch) error {
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() != j.size {
		return fmt.Errorf("%s has %d bytes, and this service has written %d: another program writes to it", j.path, info.Size(), j.size)
	}
	n, err := j.write(j.file, b)
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		return errors.Join(err, j.file.Truncate(j.size))
	}
	j.size += n
	return nil
}

func (j *journal) write(w io.Writer, b batch) (int64, error) {
	text, err := json.Marshal(b)
	if err != nil {
		return 0, err
	}
	n, err := fmt.Fprintf(w, "%s %s\n", checksum(text), text)
	return int64(n), err
}

// replace puts batches in the place of all there are: the same changes in fewer bytes.
func (j *journal) replace(all []batch) error {
	next, err := os.CreateTemp(filepath.Dir(j.path), "journal-*")
	if err != nil {
		return err
	}
	defer os.Remove(next.Name()) // unless it has its name
	size := int64(0)
	to := bufio.NewWriter(next)
	for _, b := range all {
		n, err := j.write(to, b)
		if err != nil {
			return errors.Join(err, next.Close())
		}
		size += n
	}
	err = errors.Join(to.Flush(), next.Sync())
	if err == nil {
		err = os.Rename(next.Name(), j.path)
	}
	if err != nil {
		return errors.Join(err, next.Close())
	}
	j.file.Close() // of a file without a name now
	j.file, j.size = next, size
	return syncFolder(filepath.Dir(j.path))
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
