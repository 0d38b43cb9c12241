// Package learn says what the labels of some rows tell of the others.
//
// A label is one class a row, several classes, or a number. [LogisticRegression] learns classes: its [LinearModel] gives
// classes and probabilities, and [LogisticRegression.CrossValidate] measures them as a [Confusion]. A [Smoothed] model
// adds what is known of neighbours, a [SetModel] predicts several classes a row, and a [Ridge] numbers.
// [ChooseModel] asks the labels whether a graph helps or the features alone are better.
//
// A label below zero, an empty set and NaN are unknown. Measures are shares from 0 to 1. Every result is the same to the
// last byte for every GOMAXPROCS. Errors are the errors of package coles, and [ErrSplit] and [ErrConvergence].
package learn
