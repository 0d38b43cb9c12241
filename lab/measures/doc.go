// Package measures has what the tables and figures of the paper measure and no program needs: scores of pairs and
// their densities, link prediction by AUC, the terms of the paper's theory, and tests of one method against
// another.
package measures
