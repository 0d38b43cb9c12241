// Package rivals holds the systems that the COLES paper (Zhu, Sun and Koniusz, NeurIPS 2021) compares with, each
// after its authors' paper and settings. Four more are not in its tables: CCA-SSG, GraphMAE, BGRL and PolyGCL. They
// run on the same graphs, splits and classifiers as COLES, and keep the promises of the module: the same bytes for
// the same seed, contexts, named errors, files.
//
// On the graphs of its small tables:
//
//	system       year  what it learns from                                      here
//	DeepWalk     2014  nodes that meet on random walks                          DeepWalk
//	node2vec     2016  the same on walks of second order                        Node2Vec
//	GAE, VGAE    2016  edges told from other pairs by products of embeddings    GAE, VGAE
//	GAT          2018  labels, by attention over neighbours                     GAT
//	ARGE, ARVGE  2018  GAE and VGAE, held to a prior by an adversary            ARGE, ARVGE
//	Graph2Gauss  2018  hop distances ranked by divergences of Gaussians         Graph2Gauss
//	DGI          2019  nodes told from nodes of shuffled features               DGI
//	MixHop       2019  labels, by several powers of the graph in a layer        MixHop
//	SCE          2020  negatives only: the variance of smoothed features        SCE
//	GRACE        2020  a node told from all others across two views             GRACE
//	GraphCL      2020  DGI with summaries of two augmented graphs               GraphCL
//	GCA          2021  GRACE that spares important edges and features           GCA
//	CCA-SSG      2021  two views alike in columns that are not correlated       CCASSG
//	GraphMAE     2022  masked features from the neighbours' features            GraphMAE
//	BGRL         2022  one view predicted from the other, without negatives     BGRL
//	PolyGCL      2024  DGI through a filter that falls and one that rises       PolyGCL
//
// On the large ones, which learn from labels, but for node2vec, GraphZoom and one of GraphSAGE:
//
//	system       year  what it learns from                                      here
//	GCN          2017  means over neighbours, layer by layer                    GCN
//	GraphSAGE    2017  a node and the mean of its neighbours                    SAGE
//	GraphSAGE    2017  the same of a few neighbours, drawn in every step        GraphSAGE, UnsupervisedGraphSAGE
//	GraphSAGE    2017  means of a few neighbours and the node                   GraphSAGEGCN, UnsupervisedGraphSAGEGCN
//	GraphSAGE    2017  a few neighbours read in an order by an LSTM             GraphSAGELSTM, UnsupervisedGraphSAGELSTM
//	FastGCN      2018  sums over nodes drawn by importance                      FastGCN
//	GraphSAINT   2020  subgraphs of random walks, without bias                  GraphSAINT
//	GraphZoom    2020  random walks on a coarse graph, refined and smoothed     GraphZoom
//	MLP          2020  the features alone, or what is made of them              MLP, MLPHead
//	SIGN         2020  means of means, made before the training                 SIGN, SIGNFeatures
//	DeeperGCN    2020  softmax means, in 28 layers                              DeeperGCN
//	C&S          2021  a classifier's errors, spread over the graph             CorrectAndSmooth
//	UFGConv      2021  framelet coefficients, weighted for each node            FrameLet
//
// A system that is a network is a function from the name of a dataset to settings for package gnn:
//
//	m, err := gnn.Train(ctx, g, x, gnn.WithSettings(rivals.DGI("cora")))
//	y := m.Embedding()
//
// It gives the authors' setting for the graphs that they print one for, and for every other name
// one setting that was chosen without labels. GAT, MixHop and those for large graphs learn from
// labels, by [gnn.TrainClassifier]. Embeddings come on the scale that the network gives them, by which the
// paper measured them; [gnn.Settings].Norm brings them to another. Most prepare features so that rows
// sum to one, which refuses numbers below zero: for those there is [gnn.Settings].Preparation.
package rivals

import (
	"coles"
	"coles/gnn"
	"coles/gnn/optim"
)

// rival are the settings that most networks here share: rows of features that sum to one, Adam at
// the rate 1e-3 without decay, and the output as it is.
func rival(objective gnn.Objective, layers ...gnn.Layer) gnn.Settings {
	s := gnn.DefaultSettings()
	s.Network, s.Objective, s.Optimizer = layers, objective, optim.Adam(1e-3)
	s.Preparation, s.FeatureScale, s.Norm = coles.PrepareRowL1, 1, 0
	return s
}

// labelled are the settings that most networks trained on labels share: features as they are, Adam, and
// a number of epochs, after which the best parameters for the nodes to stop by are taken.
func labelled(rate float64, epochs int, layers ...gnn.Layer) gnn.Settings {
	s := gnn.ClassifierSettings()
	s.Network, s.Preparation, s.Optimizer = layers, coles.PrepareNone, optim.Adam(rate)
	s.Epochs, s.Patience = epochs, 0
	return s
}
