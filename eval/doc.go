// Package eval measures embeddings by the protocols of the COLES paper (Zhu, Sun and Koniusz,
// "Contrastive Laplacian Eigenmaps", NeurIPS 2021).
//
// Node classification: [Protocol.Classify] trains a one-vs-rest [LogisticRegression] on a few
// labelled rows of an embedding and asks it about every other row, for many random splits; it gives
// the mean accuracy and its standard deviation. [Protocol.LabelRates] draws the splits itself, for
// several numbers of labels a class. [PairedTest] reports whether one method is better than another
// on the same splits. A label below zero is unknown. To predict it, fit a [LogisticRegression] on
// the rows that have one, with [DefaultCs] to choose from: the [LinearModel] gives classes and
// probabilities, and [LogisticRegression.CrossValidate] says how good these are, class by class, as a
// [Confusion]. [ChooseModel] asks the known labels whether the graph helps or the features alone
// are better. [EmbedInductive] embeds nodes that the model has not seen: it learns from the graph
// that the others [Induce].
//
// Clustering: [Protocol.Cluster] runs [KMeans] several times and compares the clusters with the
// labels, by [ClusterAccuracy] and [ClusterMacroF1] under the best one-to-one map and by [NMI].
// [Silhouette] and [Modularity] judge clusters without labels, and [ClusterCount] chooses how many
// there are.
//
// Link prediction: [HoldOutLinks] takes edges out of a graph without breaking it up, [PredictLinks]
// measures by [AUC], [AveragePrecision] and [HitsAt] how well an embedding of the rest finds them.
// [RecommendLinks] gives the best pairs that are no edges yet, and [RankLinks] says how many of the
// edges held out are among them.
//
// Similarity search: an [Index] finds the rows of an embedding most similar to some, exactly. To
// look at an embedding, [TSNE] places its rows in two dimensions; package eval/picture draws them.
//
// Baselines that an embedding has to beat: [PCA] and [RandomProjection] of the features,
// [SpectralFeatures] and [SpectralGraph] for clusters.
//
// Diagnostics of a labelled graph: [NodeHomophily], [EdgeHomophily] and [ExpectedHomophily]. Of the
// scores u·v of [PositivePairs] and [NegativePairs], which [PairScores] computes: their densities
// by [ParzenDensity], and how far apart the two are by [JensenShannonOfSamples] and [Wasserstein]. What the
// paper's theory speaks of: [BlockContrast], [AlignmentAndUniformity] and [LipschitzBound].
//
// Measures are shares from 0 to 1 and print as percent. Every result is the same to the last byte
// for every GOMAXPROCS. Errors are those of package coles, and [ErrSplit] and [ErrConvergence].
package eval
