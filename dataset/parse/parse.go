// Package parse says how text is read: its [Options], what was guessed of it ([Layout]), and where reading stopped ([Error]).
// Functions of package dataset take and return these.
//
// Edges are one a line, "u v" or "u v weight" (all lines alike; the weight is 1 where there is none), or a JSON object.
// Features are one node a line, either dense, "id v1 v2 …", or sparse, "id index:value index:value …" with indices from 0.
// Where some of the first 64 kB of dense features are text, they are a [table.Table] of any cells, and so are JSON objects,
// one a line, but those of an id and a "vector"; features are made of them. A cell of a table in quotes may have line ends.
//
// Fields are separated by tabs, commas, semicolons, bars or spaces, whichever gives the first lines of a file equally
// many; double quotes protect a field. Edges may be NetworkX's, "u v {'weight': 2}", or pairs in brackets. Lines that start
// with # or % before the first line with fields are comments and, of edges, what stands behind a # between blanks. Ids are
// any UTF-8 text but [table.IsHole], unless in quotes.
//
// The names of columns go before their places: source and target, from and to, user and item and their like are the ends of
// an edge, weight, value and count its weight, and never what is called time, year, type or id; id and node name the node,
// label, class and target its label. Without such names the cells of all columns on the first lines tell the ends, which
// have much the same; no times, fractions or numbers of lines are ends, and no times a weight. Two readings as good are an
// error that names both. Names of two kinds, such as user and item, are Bipartite, and so are columns of kinds, such as
// from_type beside from. A square of numbers is an adjacency
// matrix.
package parse
