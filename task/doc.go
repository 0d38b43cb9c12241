// Package task answers questions about the nodes of a graph: to which class they belong, which are alike, which links
// are missing, which clusters there are. It decides what the other packages leave open, so that a command, a service
// and a page that ask the same get the same answer.
//
// [Files.Read] reads [Data]: a graph, features, labels. [Data.Fit] makes vectors of them for a [Purpose]. [FitPredictor]
// learns from labels, and its [Predictor] answers for other nodes. [Cluster], [Data.Links] and [NewSimilar] answer from
// vectors, a [Placer] makes those of nodes that come later, and a [File] keeps what others need.
//
// What a user should know besides the answer comes back as a [Note]. Errors are those of the packages that do the work.
package task

import "errors"

var (
	// ErrNoLabels: no node has a label to learn from.
	ErrNoLabels = errors.New("there are no labels")
	// ErrOtherLabels: labels are numbers, and a predictor's were classes, or the other way round.
	ErrOtherLabels = errors.New("these labels are something else")
	// ErrNoReasons: neither the labels learnt from nor the features are known.
	ErrNoReasons = errors.New("no reasons without labels to learn from, or features and the model that embeds them")
	// ErrWrongFormat: a format is not known, or does not hold what is wanted.
	ErrWrongFormat = errors.New("wrong format")
)
