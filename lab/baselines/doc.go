// Package baselines has the untrained baselines of the COLES paper's tables: spectral
// embeddings for clusters, and random projections.
package baselines
