package main

// The paper's mean accuracies in percent, by nodes per class, from its tables
// of node classification, of the number of negative graphs and of clustering.

type byLabels = map[int]float64

var accuracyInPaper = map[string]map[string]byLabels{
	"cora": {
		"SGC":                     {5: 63.9, 20: 78.3},
		"S2GC":                    {5: 71.4, 20: 81.3},
		"PCA-S2GC":                {5: 72.1, 20: 81.2},
		"RP-S2GC":                 {5: 65.9, 20: 78.1},
		"COLES-S2GC":              {5: 76.5, 20: 81.5},
		"COLES-Linear (Adam)":     {5: 76.5, 20: 81.5},
		"COLES-GCN":               {5: 73.8, 20: 80.8},
		"COLES-GCN (Stiefel)":     {5: 75.0, 20: 81.0},
		"COLES-GCN (+Aug)":        {5: 75.3, 20: 81.0},
		"COLES-S2GC (geometric)":  {5: 76.5, 20: 81.5},
		"COLES-S2GC (arithmetic)": {5: 71.8, 20: 77.6},
		"COLES-S2GC (harmonic)":   {5: 75.2, 20: 80.7},
		"COLES-S2GC (quadratic)":  {5: 72.3, 20: 77.2},
		"GCN+SampledNCE":          {5: 61.3, 20: 74.3},
		"SAGE+SampledNCE":         {5: 65.0, 20: 73.8},
		"GCN (supervised)":        {5: 67.5, 20: 79.4},
	},
	"citeseer": {
		"SGC":                     {5: 59.5, 20: 69.8},
		"S2GC":                    {5: 60.3, 20: 69.5},
		"PCA-S2GC":                {5: 61.0, 20: 68.8},
		"RP-S2GC":                 {5: 51.4, 20: 61.7},
		"COLES-S2GC":              {5: 67.5, 20: 71.3},
		"COLES-Linear (Adam)":     {5: 67.5, 20: 71.3},
		"COLES-GCN":               {5: 66.0, 20: 69.0},
		"COLES-GCN (Stiefel)":     {5: 67.9, 20: 71.7},
		"COLES-GCN (+Aug)":        {5: 66.7, 20: 69.8},
		"COLES-S2GC (geometric)":  {5: 67.5, 20: 71.3},
		"COLES-S2GC (arithmetic)": {5: 63.2, 20: 69.3},
		"COLES-S2GC (harmonic)":   {5: 64.7, 20: 70.9},
		"COLES-S2GC (quadratic)":  {5: 65.4, 20: 70.7},
		"GCN+SampledNCE":          {5: 42.3, 20: 56.8},
		"SAGE+SampledNCE":         {5: 48.0, 20: 56.5},
		"GCN (supervised)":        {5: 57.7, 20: 69.4},
	},
	"pubmed": {
		"SGC":                     {5: 65.8, 20: 76.3},
		"S2GC":                    {5: 67.6, 20: 73.3},
		"PCA-S2GC":                {5: 67.5, 20: 73.2},
		"RP-S2GC":                 {5: 66.1, 20: 72.5},
		"COLES-S2GC":              {5: 66.0, 20: 77.4},
		"COLES-Linear (Adam)":     {5: 66.0, 20: 77.4},
		"COLES-GCN":               {5: 62.7, 20: 72.7},
		"COLES-GCN (Stiefel)":     {5: 62.6, 20: 73.2},
		"COLES-GCN (+Aug)":        {5: 63.9, 20: 73.4},
		"COLES-S2GC (geometric)":  {5: 66.0, 20: 77.4},
		"COLES-S2GC (arithmetic)": {5: 65.9, 20: 77.1},
		"COLES-S2GC (harmonic)":   {5: 65.9, 20: 73.9},
		"COLES-S2GC (quadratic)":  {5: 65.6, 20: 77.3},
		"GCN+SampledNCE":          {5: 60.9, 20: 70.3},
		"SAGE+SampledNCE":         {5: 64.1, 20: 74.6},
		"GCN (supervised)":        {5: 65.4, 20: 77.2},
	},
}

var kappaInPaper = map[string]map[string]map[int]byLabels{
	"COLES-S2GC": {
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
	},
	"COLES-GCN": {
		"cora": {
			0:  {5: 60.97, 20: 75.70},
			1:  {5: 74.14, 20: 80.90},
			5:  {5: 74.11, 20: 80.87},
			10: {5: 74.07, 20: 80.90},
		},
		"citeseer": {
			0:  {5: 45.31, 20: 60.61},
			1:  {5: 65.85, 20: 69.04},
			5:  {5: 66.08, 20: 69.21},
			10: {5: 66.01, 20: 69.08},
		},
	},
}

// Accuracy, NMI and macro F1 of clusters.
var clustersInPaper = map[string]map[string][]float64{
	"cora": {
		"k-means":             {34.65, 16.73, 25.42},
		"Spectral-f":          {36.26, 15.09, 25.64},
		"Spectral-g":          {34.19, 19.49, 30.17},
		"SGC":                 {62.87, 50.05, 58.60},
		"S2GC":                {68.96, 54.22, 65.43},
		"COLES-SGC":           {65.62, 52.32, 56.95},
		"COLES-S2GC":          {69.70, 55.35, 63.06},
		"COLES-GCN":           {60.74, 45.49, 59.33},
		"COLES-GCN (Stiefel)": {62.46, 47.01, 59.38},
	},
	"citeseer": {
		"k-means":             {38.49, 17.02, 30.47},
		"Spectral-f":          {46.23, 21.19, 33.70},
		"Spectral-g":          {25.91, 11.84, 29.48},
		"SGC":                 {52.77, 32.90, 63.90},
		"S2GC":                {69.11, 42.87, 64.65},
		"COLES-SGC":           {68.24, 43.09, 63.85},
		"COLES-S2GC":          {69.20, 44.41, 64.70},
		"COLES-GCN":           {63.28, 37.54, 59.17},
		"COLES-GCN (Stiefel)": {65.17, 38.90, 60.85},
	},
	"pubmed": {
		"k-means":             {57.32, 29.12, 57.35},
		"Spectral-f":          {59.91, 32.55, 58.61},
		"Spectral-g":          {39.74, 3.46, 51.97},
		"SGC":                 {69.09, 31.64, 68.45},
		"S2GC":                {68.18, 31.82, 67.81},
		"COLES-SGC":           {69.47, 32.31, 68.57},
		"COLES-S2GC":          {68.76, 33.42, 68.12},
		"COLES-GCN":           {63.46, 25.73, 63.42},
		"COLES-GCN (Stiefel)": {63.56, 25.81, 63.58},
	},
}
