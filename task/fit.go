package task

import (
	"context"
	"errors"
	"fmt"

	"coles"
	"coles/dataset/parse"
	"coles/internal/setting"
	"coles/learn"
	"coles/live"

	"gonum.org/v1/gonum/mat"
)

// A Purpose is the use of vectors: those that help a classifier, which weighs columns itself, can harm a cosine or
// a distance, which do not.
type Purpose int

const (
	General Purpose = iota // and for a classifier
	ForClustering
	ForLinks
)

// Purposes are the names that [Purpose.UnmarshalText] reads.
var Purposes = []string{"classification", "clustering", "links"}

// UnmarshalText reads a name.
func (p *Purpose) UnmarshalText(text []byte) error { return setting.Unmarshal(p, text, Purposes) }

// Settings are those of a fit to so many nodes with so many columns.
func (p Purpose) Settings(nodes, features int) coles.Settings {
	switch p {
	case ForClustering:
		return coles.ClusteringSettings(nodes, features)
	case ForLinks:
		return coles.LinkSettings(nodes, features)
	}
	return coles.DefaultSettings()
}

// A Fitting says how [Data.Fit] fits. The zero value is for all purposes.
type Fitting struct {
	For    Purpose
	Change func(*coles.Settings) error // changes the settings of the purpose; nil for no change
	// Labels, if set, choose the model as [learn.ChooseModel] says, where there are features and labels, and no setting
	// names the kind. How says how they are learnt from.
	Labels   *Target
	How      learn.Options
	By       *File  // whose model embeds in the place of a fit, nil for none
	Scratch  string // a folder for what takes more than so many bytes of Memory, "" for none
	Memory   int64
	Progress coles.Progress
}

// Fitted is a model and the vectors of the nodes that it was fitted to.
type Fitted struct {
	Model  Model
	Rows   mat.Matrix    // n × d′, in the precision of the fit
	Choice *learn.Choice // where labels chose
	Notes  []Note
}

// Notice says what a choice without labels may have missed, "" for nothing.
func (f *Fitted) Notice() string {
	if m, ok := f.Model.(*coles.Model); ok && f.Choice == nil {
		return m.Report().Notice()
	}
	return ""
}

// Fit fits a model. For rows that [Join] has joined it takes the graph, as their neighbours agree with the features that made
// them, and [live.RowShare]. For links of edges with kinds, unless arcs count, the graph of d becomes a sum of its kinds.
// Each kind weighs by its own degrees. Errors: as [coles.Fit], [learn.ChooseModel] and Change.
func (d *Data) Fit(ctx context.Context, how Fitting) (*Fitted, error) {
	if how.By != nil && how.By.Model != nil {
		return how.By.embed(ctx, d, how)
	}
	s := how.For.Settings(d.Graph.Nodes(), d.Columns())
	if how.For == ForLinks && d.Kinds != nil && d.Graph.Roles() == nil {
		s.WeightSpan = 0
		if err := d.weigh(); err != nil {
			return nil, err
		}
	}
	if how.Change != nil {
		if err := how.Change(&s); err != nil {
			return nil, err
		}
	}
	if d.Joined && s.Kind != coles.UseFeatures && s.Structure == coles.AutoShare {
		var err error
		if s.Structure, err = live.RowShare(ctx, d.Features); err != nil {
			return nil, err
		}
	}
	f := &Fitted{}
	byLabels := s.Kind == 0 && d.Features != nil && how.Labels != nil && how.Labels.Any()
	if s.Kind == 0 && d.Joined && !byLabels {
		s.Kind = coles.UseGraph
	}
	options := []coles.Option{coles.WithSettings(s)}
	if how.Progress != nil {
		options = append(options, coles.WithProgress(how.Progress))
	}
	if how.Scratch != "" {
		options = append(options, coles.WithScratch(how.Scratch, how.Memory))
	}
	var m *coles.Model
	var err error
	if byLabels {
		if f.Choice, err = learn.ChooseModel(ctx, d.Graph, d.Features, how.Labels.Labels, how.How, options...); err == nil {
			m = f.Choice.Model
		}
	} else {
		m, err = coles.Fit(ctx, d.Graph, d.Features, options...)
	}
	if err != nil {
		return nil, err
	}
	f.Model, f.Rows = m, embedding(m)
	if unit := m.Report().WeightUnit; unit > 0 {
		f.Notes = append(f.Notes, Note{fmt.Sprintf("weights of edges span decades, so that w counts as log(1 + w/%.3g), by the median", unit),
			[]parse.Advice{{Field: "WeightSpan", Value: "0", Says: "takes them as they are"}}})
	}
	return f, nil
}

// embedding is that of a fit, in the precision of the fit.
func embedding(m *coles.Model) mat.Matrix {
	if y := m.Embedding32(); y != nil {
		return y
	}
	return m.Embedding()
}

// embed makes vectors of d by the model, in its precision. Rows that are [Data.Apart] join those kept here.
func (f *File) embed(ctx context.Context, d *Data, how Fitting) (*Fitted, error) {
	if err := checkFeatures(f.Model, d.Features); err != nil {
		return nil, err
	}
	fitted, ok := f.Model.(*coles.Model)
	if ok && d.Graph.Roles() != nil && fitted.Report().RoleShare == 0 {
		return nil, errors.New("the model was fitted to edges that have no direction")
	}
	if how.Scratch != "" && !d.Apart {
		if !ok {
			return nil, errors.New("a network embeds in memory alone")
		}
		m, err := fitted.EmbedScratch(ctx, d.Graph, d.Features, how.Scratch, how.Memory)
		if err != nil {
			return nil, err
		}
		return &Fitted{Model: m, Rows: embedding(m)}, nil
	}
	var y *mat.Dense
	var err error
	if d.Apart && f.Rows != nil {
		var known *Data
		if known, err = f.known(); err != nil {
			return nil, err
		}
		var p *Placer
		if p, err = NewPlacer(ctx, f.Model, known); err == nil {
			y, err = p.Embed(ctx, d.Features, nil, nil)
		}
	} else {
		y, err = f.Model.Embed(ctx, d.Graph, d.Features)
	}
	if err != nil {
		return nil, err
	}
	return &Fitted{Model: f.Model, Rows: narrowed(f.Model, y)}, nil
}

// take has the edges of d weigh by their kinds if the edges that the model was fitted to did. It notes weights where only one
// of the two graphs has them. Errors: [coles.ErrShape] for edges without kinds.
func (f *File) take(d *Data) ([]Note, error) {
	if !f.ByKinds {
		return otherWeights(f.Model, d.Graph), nil
	}
	if d.Kinds == nil {
		return nil, fmt.Errorf("%w: the model takes edges by their kinds, and these have none: name the column that tells them", coles.ErrShape)
	}
	return nil, d.weigh()
}
