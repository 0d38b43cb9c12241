// Package learn predicts the labels of rows from the labels of other rows.
//
// A label is one class a row, several classes, or a number. [Fit] learns from [Labels] of each kind alike. A linear model has
// an opinion of each row, and the labels around it add theirs. Rows that are held out tell how much each opinion weighs and
// what the [Predictor] is worth. [ChooseModel] asks the labels whether a graph helps or the features alone are better. The
// linear models alone are [LogisticRegression] and [Ridge].
//
// A label below zero, an empty set and NaN are unknown. Measures are shares from 0 to 1. Every result is the same to the last
// byte for every GOMAXPROCS. Errors are the errors of package coles, and [ErrSplit] and [ErrConvergence].
package learn
