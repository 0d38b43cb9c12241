// Package eval measures embeddings by the protocol of the COLES paper (Zhu,
// Sun and Koniusz, "Contrastive Laplacian Eigenmaps", NeurIPS 2021).
//
// Node classification: a one-vs-rest logistic regression is trained on a few
// labelled rows of an embedding and asked about every other row, for many
// random splits; the mean accuracy and its standard deviation are reported.
// [Classify] runs the whole protocol, [LogisticRegression] is the classifier
// alone, [Accuracy], [MicroF1], [MacroF1], [ConfusionMatrix] and [MeanStd] are the
// measures. [KNN] and [MLP] are other
// classifiers, which [WithClassifier] and [WithValidatedClassifier] bring to the
// protocol.
//
// [LabelRates] draws the splits itself, for several numbers of labels a class.
// [Compare] tells whether one method is better than another on the same splits,
// by an interval of confidence and a [SignTest]. [EmbedInductive] also embeds
// nodes that the model has not seen: it learns from the graph that the others [Induce].
//
// Link prediction: [HoldOutLinks] takes edges out of a graph without breaking it
// up, [PredictLinks] measures by [AUC], [AveragePrecision] and [HitsAt] how well
// an embedding of the rest finds them again.
//
// Similarity search: [NearestRows] and [NearestTo] find the rows of an embedding
// most similar to some, exactly.
//
// Baselines: [PCA] and [RandomProjection] reduce a matrix of features without
// looking at the graph's contrast, and are what an embedding has to beat.
//
// Clustering: [KMeans] divides rows into clusters, and [Cluster] runs the paper's
// protocol, several runs judged by the labels. Clusters are compared with labels by
// [ClusterAccuracy] and [ClusterMacroF1], under the best one-to-one map
// [ClusterMap], and by [NMI] and [ARI]; [Silhouette] and [Modularity] judge them
// without labels. [SpectralFeatures] and [SpectralGraph] are the embeddings whose
// clusters an embedding has to beat.
//
// Diagnostics say why an embedding is good or bad. Of a labelled graph:
// [NodeHomophily], [EdgeHomophily] and [ExpectedHomophily]. Of the scores u·v
// of [PositivePairs] and [NegativePairs], which [PairScores] computes: their
// densities by [ParzenDensity], and how far apart the two are by
// [JensenShannonOfSamples], [Wasserstein] and [MeanSeparation]. Of the rows
// themselves: [Alignment] and [Uniformity], or [ContrastAlignment] and
// [ContrastUniformity] by the generalised means of the paper's losses,
// [EffectiveRank] and [LipschitzConstant].
//
// Every result is the same to the last byte for every GOMAXPROCS.
package eval
