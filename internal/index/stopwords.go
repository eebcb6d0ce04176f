package index

import "strings"

// stopWords are the words of a question that say nothing about its answer. They are left out of the loosest tier only,
// and never where nothing else is asked for.
var stopWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`
		a about after again all also am an and any are aren as at be because been before being between both but by can
		could couldn did didn do does doesn doing don done during each ever few for from further get gets getting got had
		hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself
		just ll m many me might more most much must my myself no nor not now of off on once one only or other our ours
		out over own re s same shall she should shouldn so some such t than that the their theirs them themselves then
		there these they this those through to too under until up us ve very was wasn we were weren what when where
		which while who whom whose why will with won would wouldn you your yours yourself`) {
		m[w] = true
	}
	return m
}()
