package main

// The paper's mean accuracies in percent, by nodes per class, from its tables
// of node classification and of the number of negative graphs.

type byLabels = map[int]float64

var accuracyInPaper = map[string]map[string]byLabels{
	"cora": {
		"SGC":        {5: 63.9, 20: 78.3},
		"S2GC":       {5: 71.4, 20: 81.3},
		"PCA-S2GC":   {5: 72.1, 20: 81.2},
		"RP-S2GC":    {5: 65.9, 20: 78.1},
		"COLES-S2GC": {5: 76.5, 20: 81.5},
	},
	"citeseer": {
		"SGC":        {5: 59.5, 20: 69.8},
		"S2GC":       {5: 60.3, 20: 69.5},
		"PCA-S2GC":   {5: 61.0, 20: 68.8},
		"RP-S2GC":    {5: 51.4, 20: 61.7},
		"COLES-S2GC": {5: 67.5, 20: 71.3},
	},
	"pubmed": {
		"SGC":        {5: 65.8, 20: 76.3},
		"S2GC":       {5: 67.6, 20: 73.3},
		"PCA-S2GC":   {5: 67.5, 20: 73.2},
		"RP-S2GC":    {5: 66.1, 20: 72.5},
		"COLES-S2GC": {5: 66.0, 20: 77.4},
	},
}

func paperAccuracy(dataset, method string) byLabels { return accuracyInPaper[dataset][method] }

var kappaInPaper = map[string]map[int]byLabels{
	"cora": {
		0:  {5: 70.12, 20: 79.88},
		1:  {5: 76.24, 20: 81.43},
		5:  {5: 75.89, 20: 81.18},
		10: {5: 75.79, 20: 81.17},
	},
	"citeseer": {
		0:  {5: 58.17, 20: 69.42},
		1:  {5: 67.03, 20: 70.71},
		5:  {5: 66.96, 20: 70.61},
		10: {5: 67.04, 20: 70.61},
	},
}

func paperKappa(dataset string, kappa int) byLabels { return kappaInPaper[dataset][kappa] }
