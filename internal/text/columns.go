package text

import (
	"slices"
	"strings"
	"unicode"
)

// The names that columns of graphs have, as key has them.
var (
	sources = strings.Fields("source src from u node1 id1 user customer follower startid head subject sender payer citing")
	targets = strings.Fields("target dst dest destination to v node2 id2 item product movie friend followee endid tail object receiver recipient payee cited")
	weights = strings.Fields("weight weights w value amount count strength n rating ratings") // but weight before others
	notes   = strings.Fields("time date datetime timestamp unixtime year type id edge")       // of an edge, and no weight
	asides  = strings.Fields("t ts step day hour month relation relationship rel predicate label idx index")
	edges   = strings.Fields("type kind relation relationship rel predicate")
	things  = strings.Fields(`user customer client buyer shopper visitor viewer reader person member student author actor employee patient
		item product movie film book song track artist group team club course page tag venue store shop merchant business company
		gene disease drug compound ingredient recipe paper article`)
	ids    = strings.Fields("id ids node nodes")
	labels = strings.Fields("label labels class classes target group category community")
	others = strings.Fields("name")
)

// key is a name in lower case, of letters and digits alone. Neo4j has kinds behind a colon or in brackets.
func key(name string) string {
	name = strings.TrimPrefix(name, ":")
	if end := strings.IndexAny(name, "(:"); end > 0 {
		name = name[:end]
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// isOne reports whether a name is among some, or is one of them with id or node behind: user_id, fromNodeId.
func isOne(name string, among []string) bool {
	k := key(name)
	for _, end := range []string{"", "id", "node", "nodeid"} {
		if short, ok := strings.CutSuffix(k, end); ok && short != "" && slices.Contains(among, short) {
			return true
		}
	}
	return false
}

func find(header, among []string) int {
	return slices.IndexFunc(header, func(name string) bool { return isOne(name, among) })
}

// IsColumnName reports whether a field is among the names that columns of graphs have.
func IsColumnName(field string) bool {
	for _, among := range [][]string{sources, targets, weights, notes, ids, labels, others} {
		if isOne(field, among) {
			return true
		}
	}
	return false
}

// IsIndex reports whether a column has the name of one that numbers rows: none, as in R and pandas, or Unnamed: 0.
func IsIndex(name string) bool { return name == "" || strings.HasPrefix(name, "Unnamed: ") }

// EndColumns are the columns of the two ends of an edge by their names, ok if both have one, or one name with 1 and 2 behind.
func EndColumns(header []string) (source, target int, ok bool) {
	source, target = find(header, sources), find(header, targets)
	for k := 0; k < len(header) && (source < 0 || target < 0); k++ {
		if stem, one := strings.CutSuffix(key(header[k]), "1"); one && stem != "" && !strings.ContainsAny(stem, "0123456789") {
			if second := slices.IndexFunc(header, func(name string) bool { return key(name) == stem+"2" }); second >= 0 {
				return k, second, true
			}
		}
	}
	return source, target, source >= 0 && target >= 0
}

// TwoKinds reports whether the names of the two ends of an edge are of different kinds of things, such as user and item.
func TwoKinds(u, v string) bool {
	if of, and := Space(u), Space(v); of != "" && and != "" {
		return of != and
	}
	return isOne(u, things) && isOne(v, things) && strings.TrimSuffix(key(u), "id") != strings.TrimSuffix(key(v), "id")
}

// Space is the kind of ids in brackets behind a name of Neo4j's, such as :START_ID(Person); "" for none.
func Space(name string) string {
	_, space, _ := strings.Cut(strings.TrimSuffix(name, ")"), "_ID(")
	return space
}

// EdgeColumns are the columns of an edge: of its ends and, if there is one, of its weight. If no name tells the ends, they are
// the two columns that are nothing else. ok is false unless two are left.
func EdgeColumns(header []string) (columns []int, ok bool) {
	u, v, ok := EndColumns(header)
	w := -1
	for _, among := range [][]string{weights[:2], weights} {
		if w < 0 {
			w = slices.IndexFunc(header, func(name string) bool { return isOne(name, among) && !isOne(name, sources) && !isOne(name, targets) })
		}
	}
	for _, besides := range [][]string{slices.Concat(notes, asides), notes, nil} {
		if ok {
			break
		}
		var left []int
		for k, name := range header {
			if k != w && !IsIndex(name) && !isOne(name, besides) {
				left = append(left, k)
			}
		}
		if ok = len(left) == 2; ok {
			u, v = left[0], left[1]
		}
	}
	if columns = []int{u, v}; w >= 0 {
		columns = append(columns, w)
	}
	return columns, ok
}

// KindColumn is the column of the kind of an edge by its name, −1 where none is called so.
func KindColumn(header []string) int { return find(header, edges) }

// IDColumn is the column of the ids: by its name or, where none is called so, the first. An index of the rows, which
// begin with first, is no column of ids if there is a column "name". named reports whether a name told the column.
func IDColumn(header, first []string) (id int, named bool) {
	neo4j := func(name string) bool { return strings.HasSuffix(name, ":ID") || strings.Contains(name, ":ID(") }
	if id = slices.IndexFunc(header, neo4j); id >= 0 {
		return id, true
	}
	if id = find(header, ids); id >= 0 {
		return id, true
	}
	name := find(header, others)
	if name >= 0 && IsIndex(header[0]) && (first[0] == "0" || first[0] == "1") {
		return name, true
	}
	return 0, name <= 0
}

// IsIDName reports whether a column of this name has ids.
func IsIDName(name string) bool { return isOne(name, ids) || isOne(name, others) }

// NameKind is label, name or title where a column of nodes is called so, "" for another, such as Neo4j's :LABEL of kinds.
func NameKind(column string) string {
	if k := key(column); !strings.HasPrefix(column, ":") && (k == "label" || k == "name" || k == "title") {
		return k
	}
	return ""
}

// LabelColumn is the column of the labels by its name, −1 where none is called so.
func LabelColumn(header []string) int { return find(header, labels) }
