package dataset

import (
	"coles/dataset/internal/edgeset"
)

// karateEdges are the 78 ties of W. W. Zachary, "An Information Flow Model for Conflict and Fission
// in Small Groups", Journal of Anthropological Research 33 (1977), figure 1, with the members
// counted from 1 as there: entry i lists the later members tied to member i+1.
var karateEdges = [][]int{
	{2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 18, 20, 22, 32},
	{3, 4, 8, 14, 18, 20, 22, 31}, {4, 8, 9, 10, 14, 28, 29, 33}, {8, 13, 14}, {7, 11}, {7, 11, 17}, {17}, {},
	{31, 33, 34}, {34}, {}, {}, {}, {34}, {33, 34}, {33, 34}, {}, {}, {33, 34}, {34}, {33, 34}, {}, {33, 34},
	{26, 28, 30, 33, 34}, {26, 28, 32}, {32}, {30, 34}, {34}, {32, 34}, {33, 34}, {33, 34}, {33, 34}, {34}, {},
}

// karateInstructor are the members, from 1, who stayed with the instructor (member 1, "Mr. Hi")
// when the club split; the others went with the administrator (member 34).
var karateInstructor = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 17, 18, 20, 22}

// KarateClub returns a copy of Zachary's karate club (1977): 34 members, 78 ties, each stored in both
// directions, no features. Labels tell whom a member followed: 0 the instructor, 1 the administrator.
func KarateClub() *Dataset {
	n := len(karateEdges)
	var from, to []int32
	for i, later := range karateEdges {
		for _, j := range later {
			from, to = append(from, int32(i), int32(j-1)), append(to, int32(j-1), int32(i))
		}
	}
	labels := make([]int, n)
	for i := range labels {
		labels[i] = 1
	}
	for _, i := range karateInstructor {
		labels[i-1] = 0
	}
	return &Dataset{
		Name:      "karate",
		Adjacency: edgeset.Compressed(n, n, from, to, nil),
		Labels:    labels,
		Classes:   []string{"instructor", "administrator"},
	}
}
