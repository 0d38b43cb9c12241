package alignment

// NamesOf are the names of nodes.
var NamesOf = Parts[float64].names
