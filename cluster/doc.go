// Package cluster divides the rows of a matrix into groups: [KMeans] into as many as it is told, and [Count] says how many
// there are, by their [Silhouette].
//
// Every result is the same to the last byte for every GOMAXPROCS. Errors are the errors of package coles.
package cluster
