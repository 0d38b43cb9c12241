// Package eval measures embeddings by the protocols of the COLES paper (Zhu, Sun and Koniusz,
// "Contrastive Laplacian Eigenmaps", NeurIPS 2021).
//
// Node classification: [Protocol.Classify] trains a one-vs-rest [LogisticRegression] on a few
// labelled rows of an embedding and asks it about every other row, for many random splits; it gives
// the mean accuracy and its standard deviation. A label below zero is unknown. To predict it, fit a [LogisticRegression] on
// the rows that have one, with [DefaultCs] to choose from: the [LinearModel] gives classes and
// probabilities, and [LogisticRegression.CrossValidate] measures them, class by class, as a
// [Confusion]. [ChooseModel] asks the known labels whether the graph helps or the features alone
// are better. A [Smoothed] model adds what is known of neighbours. For nodes that the model has not seen, fit it to the
// graph that the others [Induce]. A label that is a number is predicted by a [Ridge].
//
// Clustering: [Protocol.Cluster] runs [KMeans] several times and compares the clusters with the
// labels, by [ClusterAccuracy] and [ClusterMacroF1] under the best one-to-one map and by [NMI].
// [Silhouette] and [Modularity] judge clusters without labels, and [ClusterCount] chooses how many
// there are.
//
// Link prediction: a [Recommender] gives each node the best others that no edge joins to it, by walks and an
// embedding, and [Index.RecommendLinks] by an embedding alone. [HoldOutLinks] takes edges out of a graph without
// breaking it up.
//
// Similarity search: an [Index] finds the rows of an embedding most similar to some, exactly. To
// look at an embedding, [TSNE] places its rows in two dimensions; package eval/picture draws them.
//
// A baseline that an embedding has to beat: [PCA] of the features. Diagnostics of a labelled graph:
// [NodeHomophily], [EdgeHomophily] and [ExpectedHomophily].
//
// Measures are shares from 0 to 1 and print as percent. Every result is the same to the last byte
// for every GOMAXPROCS. Errors are the errors of package coles, and [ErrSplit] and [ErrConvergence].
package eval
