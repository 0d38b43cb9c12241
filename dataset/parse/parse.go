// Package parse says how text is read: its [Options], what was guessed of it ([Layout]), and where reading stopped ([Error]).
// Functions of package dataset take and return these.
//
// Edges are one a line, "u v" or "u v weight" (all lines alike; the weight is 1 where there is none), or a JSON object.
// Features are one node a line, either dense, "id v1 v2 …", or sparse, "id index:value index:value …" with indices from 0.
// Where some of the first 64 kB of dense features are text, they are a [table.Table] of any cells, and so are JSON objects,
// one a line, but those of an id and a "vector"; features are made of them. A cell of a table in quotes may have line ends.
//
// Fields are separated by tabs, commas, semicolons, bars or spaces, whichever gives the first lines of a file equally
// many; double quotes protect a field. Edges may be NetworkX's, "u v {'weight': 2}", or pairs in round or square brackets.
// Lines that start with # or % before the first line with fields are comments, but the last of them is a header if it
// names the ends of an edge. Of edges, what stands behind a # between blanks is a comment, too. Ids are any UTF-8 text but
// [table.IsHole], unless in quotes.
//
// Columns are chosen by their names, if these tell. The ends of an edge are source and target, from and to, user and item
// and their like; its weight is weight, value or count, and never what is called time, year, type or id. The node is id or
// node, and its label is label, class or target. Otherwise the cells of all columns on the first lines tell the ends: they
// have much the same cells. No times, fractions or numbers of lines are ends, and no times are a weight. Where two readings
// are equally good, an error names both.
//
// Ends whose columns are called after two kinds of things, such as user and item, are [Options.Bipartite]. So are ends with
// columns of kinds, such as from_type beside from, and ids of two spaces of Neo4j. A square of numbers is an adjacency
// matrix.
//
// All files name nodes by their ids. If a table of the nodes has a column label, name or title of different words, these
// are the ids of the dataset.
package parse
