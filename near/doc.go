// Package near finds what is most similar: an [Index] the rows of an embedding most similar to others, exactly, and
// [Alike] the nodes of a graph whose neighbours are most alike.
package near
