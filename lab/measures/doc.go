// Package measures has the measures of the paper's tables and figures that no program needs. They are scores of pairs
// and their densities, link prediction by AUC, the terms of the paper's theory, and tests of one method against
// another.
package measures
