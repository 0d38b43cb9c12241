package distributed

import (
	"context"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"coles"
	"coles/internal/alignment"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Between two steps of a job the collections lie in a folder: the state in a file for each block, and
// the small ones in a file each.

const (
	statePrefix = "state-"
	factsName   = "facts.bin"
	choiceName  = "choice.bin"
)

// inSteps is the job by way of Work.
func (r *run) inSteps(ctx context.Context, result []any) (*Manifest, error) {
	p, set, from := r.plan, r.plan.Settings, within(r.Work, "prepare")
	of := []any{"prepare", r.content, p.Grid, set.Preparation, set.Kind == coles.UseFeatures}
	prepared, err := r.step(ctx, "prepare", from, of, func(s beam.Scope, at string) {
		state, facts := p.prepare(s, r.input(s, at))
		found := beam.ParDo(s, &writeSmall{at, factsName}, beam.ParDo(s, encode, facts))
		listed(s, at, p.saveState(s, at, state), found)
	})
	if err != nil {
		return nil, err
	}
	known, err := loadSmall(ctx, from, factsName, prepared, decoded[facts])
	if err == nil {
		err = p.checkNumbers(known) // the filter may be another one than when it was prepared
	}
	if err != nil {
		return nil, err
	}
	chosen, err := r.choose(ctx, prepared, known)
	if err != nil {
		return nil, err
	}
	p.Settings.Kind = chosen.Kind
	if from, err = r.hops(ctx, p, prepared); err != nil {
		return nil, err
	}
	return r.step(ctx, "embed", r.Out, result, func(s beam.Scope, at string) {
		embedding, model := p.finish(s, stateFiles(s, from), beam.Create(s, known), beam.Create(s, chosen))
		p.writeResult(s, at, embedding, model)
	})
}

// hops is the filter, in pipelines of Cut hops, and returns the folder of the last state.
func (r *run) hops(ctx context.Context, p plan, prepared *Manifest) (from string, err error) {
	type part struct {
		hi, lo int // hops hi−1 … lo
		folder string
		of     []any
	}
	from = within(r.Work, "prepare")
	var parts []part
	first := 0 // that is not there, or the last
	for hi := p.hops(); hi > 0; {
		lo := 0
		if r.Cut > 0 {
			lo = max(hi-r.Cut, 0)
		}
		q := part{hi, lo, within(r.Work, "hops"), []any{"hops", prepared.Key, p.Settings.Filter, lo}}
		if lo > 0 {
			q.folder = fmt.Sprintf("%s-%d", q.folder, lo)
		}
		if key, err := keyOf(q.of...); err == nil && r.whole(ctx, q.folder, key) != nil {
			first = len(parts)
		}
		parts, hi = append(parts, q), lo
	}
	for k, q := range parts {
		if k < first {
			continue
		}
		r.before = int64(p.hops()-q.hi) * p.blocks()
		if _, err := r.step(ctx, "hops", q.folder, q.of, func(s beam.Scope, at string) {
			state := p.filtered(s, stateFiles(s, from), q.hi, q.lo)
			listed(s, at, p.saveState(s, at, state))
		}); err != nil {
			return "", err
		}
		if k > first { // what it was made of is not needed again
			remove(ctx, within(from, manifestName), func(string) bool { return true })
			remove(ctx, within(from, "coles-*/*"), attempts.MatchString)
		}
		from = q.folder
	}
	return from, nil
}

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

// loadedHop and loadedGram are these steps on files of a state.
type loadedHop struct{ hop }

func (f *loadedHop) ProcessElement(ctx context.Context, shard stateShard, emit func(int64, piece)) error {
	pieces, err := shard.pieces(ctx)
	if err != nil {
		return err
	}
	return f.hop.ProcessElement(ctx, shard.File.First, pieces, emit)
}

type loadedGram struct{ gram }

func (f *loadedGram) ProcessElement(ctx context.Context, shard stateShard, emit func(int64, piece), sum func(int64, sums)) error {
	pieces, err := shard.pieces(ctx)
	if err != nil {
		return err
	}
	return f.gram.ProcessElement(ctx, shard.File.First, pieces, emit, sum)
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

// choose is the choice between graph and features, by as few random columns as coles.Fit would take.
func (r *run) choose(ctx context.Context, prepared *Manifest, known facts) (choice, error) {
	p := r.plan
	if p.Settings.Kind != 0 {
		return choice{Kind: p.Settings.Kind}, nil
	}
	found, ok := known.unmeasured(p.Columns)
	n := int(p.Nodes)
	step := func(name string, of any, add func(s beam.Scope, state beam.PCollection) beam.PCollection) error {
		folder := within(r.Work, name)
		m, err := r.step(ctx, "choose", folder, []any{"choose", prepared.Key, of, p.Settings.Seed}, func(s beam.Scope, at string) {
			made := add(s, beam.ParDo(s, &readState{}, stateFiles(s, within(r.Work, "prepare"))))
			listed(s, at, beam.ParDo(s, &writeSmall{at, choiceName}, beam.ParDo(s, encode, made)))
		})
		if err != nil {
			return err
		}
		c, err := loadSmall(ctx, folder, choiceName, m, decoded[choice])
		if err == nil {
			found = *c.Alignment
		}
		return err
	}
	for next := alignment.Estimate(found).Next(n); next > 0 && !ok; next = alignment.Estimate(found).Next(n) {
		if err := step(fmt.Sprintf("choose-%d", next), []any{p.Settings.Filter, next}, func(s beam.Scope, state beam.PCollection) beam.PCollection {
			return p.measure(s, state, beam.Create(s, known), next)
		}); err != nil {
			return choice{}, err
		}
	}
	if alignment.Estimate(found).Open() {
		if err := step("communities", found, func(s beam.Scope, state beam.PCollection) beam.PCollection {
			return p.settle(s, state, beam.Create(s, chosenBy(found)))
		}); err != nil {
			return choice{}, err
		}
	}
	return chosenBy(found), nil
}
