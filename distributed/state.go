package distributed

import (
	"context"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"coles"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Between two steps of a job the collections lie in a folder: the state in a file for each block, and
// the small ones in a file each.

const (
	statePrefix = "state-"
	factsName   = "facts.bin"
	choiceName  = "choice.bin"
)

// saveState adds the writing of a state to a pipeline.
func (p plan) saveState(s beam.Scope, folder string, state beam.PCollection) beam.PCollection {
	s = s.Scope("SaveState")
	return beam.ParDo(s, &writeState{folder, p.blocks()}, beam.GroupByKey(s, state))
}

// A stateFile is the content of the file of a block.
type stateFile struct{ Frames []string }

func (stateFile) check() error { return nil }

type writeState struct {
	Folder string
	Blocks int64
}

func (f *writeState) ProcessElement(ctx context.Context, number int64, next func(*piece) bool) (int64, File, error) {
	var all stateFile
	for p := (piece{}); next(&p); p = (piece{}) {
		b, err := encode(p)
		if err != nil {
			return 0, File{}, err
		}
		all.Frames = append(all.Frames, string(b))
	}
	slices.Sort(all.Frames) // the same file, in whatever order they came
	content, err := encode(all)
	if err != nil {
		return 0, File{}, err
	}
	file, err := put(ctx, f.Folder, fmt.Sprintf("%s%05d-of-%05d.bin", statePrefix, number, f.Blocks), content)
	file.First = number
	return 0, file, err
}

// A stateShard is the file of a block.
type stateShard struct {
	Folder string
	File   File // First is the number of the block
}

// stateFiles adds the files of a state to a pipeline.
func stateFiles(s beam.Scope, folder string) beam.PCollection {
	s = s.Scope("StateFiles")
	return beam.Reshuffle(s, beam.ParDo(s, &listState{folder}, beam.Impulse(s)))
}

// byBlock returns what a step that takes all pieces of a block works on: the pieces grouped, or the files of a
// state, in each of which they are together already.
func byBlock(s beam.Scope, state beam.PCollection, grouped, loaded any) (step any, blocks beam.PCollection) {
	if state.Type().Type() == reflect.TypeFor[stateShard]() {
		return loaded, state
	}
	return grouped, beam.GroupByKey(s, state)
}

// listState lists the files of a state, which are not in the job graph: it has a limit of bytes.
type listState struct{ Folder string }

func (f *listState) ProcessElement(ctx context.Context, _ []byte, emit func(stateShard)) error {
	m, err := ReadManifest(ctx, f.Folder)
	if err != nil {
		return err
	}
	for _, file := range m.Files {
		if strings.HasPrefix(path.Base(file.Name), statePrefix) {
			emit(stateShard{f.Folder, file})
		}
	}
	return nil
}

type readState struct{}

func (*readState) ProcessElement(ctx context.Context, shard stateShard, emit func(int64, piece)) error {
	next, err := shard.pieces(ctx)
	for p := (piece{}); err == nil && next(&p); p = (piece{}) {
		emit(shard.File.First, p)
	}
	return err
}

// pieces reads the pieces of a block and returns them one after the other.
func (shard stateShard) pieces(ctx context.Context) (next func(*piece) bool, err error) {
	content, err := shard.File.read(ctx, shard.Folder)
	if err != nil {
		return nil, err
	}
	file, err := decoded[stateFile](content)
	all := make([]piece, len(file.Frames))
	for k := 0; k < len(all) && err == nil; k++ {
		all[k], err = decoded[piece]([]byte(file.Frames[k]))
	}
	return func(p *piece) bool {
		if len(all) == 0 {
			return false
		}
		*p, all = all[0], all[1:]
		return true
	}, err
}

// writeSmall writes a small value to a file of its own.
type writeSmall struct{ Folder, Name string }

func (f *writeSmall) ProcessElement(ctx context.Context, content []byte) (int64, File, error) {
	file, err := put(ctx, f.Folder, f.Name, content)
	return 0, file, err
}

// loadSmall reads a small file of a step and compares it with the manifest.
func loadSmall[T any](ctx context.Context, folder, name string, m *Manifest, decode func([]byte) (T, error)) (v T, err error) {
	at := slices.IndexFunc(m.Files, func(f File) bool { return path.Base(f.Name) == name })
	if at < 0 {
		return v, fmt.Errorf("distributed: %s: %w: %s is not in the manifest", folder, coles.ErrChecksum, name)
	}
	content, err := m.Files[at].read(ctx, folder)
	if err != nil {
		return v, err
	}
	return decode(content)
}
