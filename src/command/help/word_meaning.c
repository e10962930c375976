/*
 * word_meaning.c - see word_meaning.h
 */
#include "word_meaning.h"

#include <stddef.h>
#include <string.h>

#include "perftool/base/str.h"

static const struct {
	const char *command; /* the command whose argument the word is; NULL:
			      * any command */
	const char *word;
	const char *summary;
} words[] = {
	{NULL, "hdr", "each value within 1 %"},
	{NULL, "linear", "buckets of one width"},
	{NULL, "log", "powers of two"},
	{"", "node", "of the node that Histogram Node names"},
	{"", "leg", "of the leg that Histogram Leg names"},
	{"", "*", "each node"},
	{"add leg", "*", "each node"},
	{"monitor", "on", "conditional breakpoints count, and do not stop"},
	{"monitor", "off", "conditional breakpoints stop the program"},
	{"track", "none", "nodes are counted, legs are not measured"},
	{"track", "successor",
	 "the leg from the last node that the thread hit is measured"},
	{"track", "all", "every leg of which the node is a part is measured"},
	{"set process", "all", "no limit"},
	{"set thread", "all", "no limit"},
	{"print legs", "-v", "also what was left out of each leg"},
	{"print legs", "all", "also legs that were never executed"},
	{"print legs", "by=process", "a row for each leg and process"},
	{"print legs", "columns=auto", "the figures that tell most"},
	{"print legs", "columns=memo", "the columns of the Mesa memo"},
	{"print legs", "top=", "how many rows are shown"},
	{"print functions", "top=", "how many rows are shown"},
	{"print legs", "sort=id", "in the order of the numbers"},
	{"print legs", "sort=name", "by name"},
	{"print legs", "sort=total", "the longest in all first"},
	{"print legs", "sort=mean", "the longest on average first"},
	{"print legs", "sort=count", "the most frequent first"},
	{"print legs", "sort=max", "the longest single execution first"},
	{"print legs", "sort=p99", "the longest 99th percentile first"},
	{NULL, "sort=time", "the value that took the longest in all first"},
	{NULL, "sort=mean", "the value that took the longest each time first"},
	{NULL, "sort=count", "the most frequent value first"},
	{NULL, "rows=", "how many values have a row of their own"},
	{NULL, "by=", "a row for each value of an expression"},
	{NULL, "most=", "how many functions a pattern may name"},
	{"add leg", "name=", "what the tables call the leg"},
	{"time", "name=", "what the tables call the leg"},
	{"add leg", "key=", "each value of an expression holds its own start"},
	{"add leg", "owner=thread", "each thread holds its own start"},
	{"add leg", "owner=goroutine", "each goroutine holds its own start"},
	{"add leg", "owner=leg",
	 "only the thread that started last holds a start"},
	{"add leg", "match=last", "a second start replaces the first"},
	{"add leg", "match=first", "a second start is ignored"},
	{"add leg", "match=nested", "a second start is inside the first"},
	{"add leg", "match=outermost", "a second start is part of the first"},
	{"add histogram", "buckets=", "how many buckets, 1 to 65536"},
	{"add histogram",
	 "scale=", "what divides a node's value, or shifts a leg's time"},
	{"add histogram", "base=", "where the first linear bucket begins"},
	{"add histogram", "value=", "the expression that a node counts"},
	{"add histogram", "replace",
	 "replace also a histogram that has values"},
	{NULL, "if", "a condition follows"},
	{"show", "fields", "the fields of the Mesa memo's window"},
	{"show", "clock", "which clock measures, and how finely"},
	{"show", "root", "the program, where names are looked up"},
	{"show", "module", "where names are looked up first"},
};

const char *word_summary(const char *command, const char *word)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (str_equal(words[i].word, word) &&
		    (!words[i].command || str_equal(words[i].command, command)))
			return words[i].summary;
	return "";
}
