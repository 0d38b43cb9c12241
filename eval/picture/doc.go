// Package picture draws what package eval measures: the pictures one looks at to
// see whether an embedding is good, and why.
//
//   - [Map]: the rows of an embedding in two dimensions, a glyph for each node;
//     [Places] does the same with coordinates from elsewhere.
//   - [Densities] of scores, of joined pairs and of others.
//   - [Curves], with bands of error: accuracy by labels per class, by κ or by d′ (on
//     logarithmic axes or by category), training epoch by epoch.
//   - [Eigenvalues]: how a spectrum decays.
//   - [Scaling]: time or memory by size, beside the line of proportional growth.
//   - [Scatter]: points with names.
//
// Each returns a [Picture], which is written as SVG, PNG or PDF; [Grid] puts several
// side by side. Lines differ by dashes and glyphs as well as by colour, so that a
// picture can be read in greyscale and with any colour vision. Title and legend stand
// above the data and never cover it. The same input gives the same SVG and PNG, byte
// for byte; a PDF names the time it was made.
//
// The drawing is gonum/plot's. The package is apart from eval for its sake: programs
// that only measure do not link it.
//
// There is no t-SNE or UMAP among the reductions, for want of a maintained Go
// library: [Map] shows principal components. Coordinates that another program
// computed are drawn by [Places].
package picture
