// Package link recommends edges that a graph may miss.
//
// A [Recommender] gives each node the best others that no edge joins to it, by walks and an embedding; it learns from
// edges that it hides, and says what it is worth by them. [HoldOut] takes edges out of a graph without breaking it up.
// By an embedding alone, package near recommends links.
package link
