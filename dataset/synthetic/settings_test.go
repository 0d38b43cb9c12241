package synthetic

import (
	"context"
	"errors"
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"
)

// Settings that do not fit.
func TestDoors(t *testing.T) {
	nan, big := math.NaN(), min(1<<40, math.MaxInt)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	communities := func(c Communities) error {
		d, err := c.Generate(t.Context())
		if err != nil {
			return err
		}
		return d.Validate()
	}
	for name, c := range map[string]struct{ want, got error }{
		"one node":                {coles.ErrSetting, communities(Communities{Nodes: 1, Classes: 1})}, // the default degree is above it
		"one node without edges":  {nil, communities(Communities{Nodes: 1, Classes: 1, Degree: 5e-324})},
		"no features":             {nil, communities(Communities{Nodes: 10, Features: math.MinInt})},
		"negative nodes":          {coles.ErrSetting, communities(Communities{Nodes: math.MinInt})},
		"too many nodes":          {coles.ErrTooLarge, communities(Communities{Nodes: big})},
		"more classes than nodes": {coles.ErrSetting, communities(Communities{Nodes: 5, Classes: 6})},
		"negative classes":        {coles.ErrSetting, communities(Communities{Classes: -2})},
		"too many features":       {coles.ErrTooLarge, communities(Communities{Features: big, Dense: true})},
		"too many numbers":        {coles.ErrTooLarge, communities(Communities{Nodes: 1 << 24, Features: 1 << 10, Dense: true})},
		"fewer words than topics": {coles.ErrSetting, communities(Communities{Features: 3})},
		"degree NaN":              {coles.ErrSetting, communities(Communities{Degree: nan})},
		"the largest degree":      {coles.ErrSetting, communities(Communities{Degree: 3000})},
		"too many edges":          {coles.ErrTooLarge, communities(Communities{Nodes: 1 << 30, Degree: 1 << 20})},
		"homophily above 1":       {coles.ErrSetting, communities(Communities{Homophily: 1.5})},
		"homophily NaN":           {coles.ErrSetting, communities(Communities{Homophily: nan})},
		"the smallest homophily":  {nil, communities(Communities{Nodes: 50, Homophily: 5e-324})},
		"exponent 2":              {coles.ErrSetting, communities(Communities{DegreeExponent: 2})},
		"exponent hardly above 2": {nil, communities(Communities{Nodes: 50, DegreeExponent: math.Nextafter(2, 3)})},
		"the largest exponent":    {nil, communities(Communities{Nodes: 50, DegreeExponent: math.MaxFloat64})},
		"words infinite":          {coles.ErrSetting, communities(Communities{Words: math.Inf(1)})},
		"the most words":          {coles.ErrTooLarge, communities(Communities{Words: math.MaxFloat64})},
		"the fewest words":        {nil, communities(Communities{Nodes: 50, Words: 5e-324})},
		"topic below 0":           {coles.ErrSetting, communities(Communities{Topic: -0.1})},
		"the smallest topic":      {nil, communities(Communities{Nodes: 50, Topic: 5e-324})},
		"cancelled":               {context.Canceled, testkit.Err(Communities{}.Generate(over))},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: error %v, want %v", name, c.got, c.want)
		}
	}
}
