// Package learn says what the labels of some rows tell of the others.
//
// A label is one class a row, several classes, or a number. [Fit] learns from [Labels] of each kind alike: a linear model
// has an opinion of each row, labels around it add theirs, and rows that are held out say how much each weighs and what
// the [Predictor] is worth. [ChooseModel] asks the labels whether a graph helps or the features alone are better. The linear
// models alone are [LogisticRegression] and [Ridge].
//
// A label below zero, an empty set and NaN are unknown. Measures are shares from 0 to 1. Every result is the same to the
// last byte for every GOMAXPROCS. Errors are the errors of package coles, and [ErrSplit] and [ErrConvergence].
package learn
