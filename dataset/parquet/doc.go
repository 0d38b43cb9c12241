// Package parquet reads and writes embeddings and edges as Apache Parquet files, which
// pandas, DuckDB, Spark and others know. It is a module of its own, so that programs
// without Parquet do not carry what it needs:
//
//	require coles/dataset/parquet v0.0.0
//	replace coles/dataset/parquet => ../coles/dataset/parquet
//
// beside what the README of coles says of coles itself.
//
// parquet-go (v0.32) itself prints a line "parquet: warning: …" on standard error where a
// damaged page holds another number of texts than it declares; the error comes all the same.
package parquet
