// Package task answers questions about the nodes of a graph: to which class they belong, which are alike, which links
// are missing, which clusters there are. It decides what the other packages leave open, so that a command, a service
// and a page that ask the same get the same answer.
//
// [Data] are what is known: a graph, features, labels. [Data.Fit] makes vectors of them for a [Purpose]. [FitPredictor] learns
// from labels, and its [Predictor] answers for other nodes. [Cluster], [Links], [NewSimilar] and [Places] answer from
// vectors, a [Placer] makes vectors of nodes that come later, and a [File] keeps what the next program needs.
//
// What a user should know besides the answer comes back as a [Note]. Errors are those of the packages that do the work.
package task
