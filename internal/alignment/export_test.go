package alignment

// Names are the names of nodes.
var Names = Parts[float64].names
