// Package eval measures embeddings by the protocols of the COLES paper (Zhu, Sun and Koniusz,
// "Contrastive Laplacian Eigenmaps", NeurIPS 2021).
//
// Node classification: [Protocol.Classify] trains a one-vs-rest logistic regression on a few labelled rows of an
// embedding and asks it about every other row. It does so for many random splits, and gives the mean accuracy and its
// standard deviation. [Protocol.ClassifySets] and [Protocol.Regress] do so for several classes a row and for numbers.
// A label below zero is unknown. For nodes that the model has not seen, fit it to the graph that the others [Induce].
//
// Clustering: [Protocol.Cluster] runs k-means several times and compares the clusters with the
// labels, by accuracy and macro F1 under the best one-to-one map and by [NMI].
//
// Diagnostics of a labelled graph: [NodeHomophily], [EdgeHomophily] and [ExpectedHomophily], and of numbers
// [Assortativity].
//
// Measures are shares from 0 to 1 and print as percent. Every result is the same to the last byte
// for every GOMAXPROCS. Errors are the errors of package coles and of package learn.
package eval
