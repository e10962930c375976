/*
 * duration.h - durations as people write them: "500ms", "1h30m"
 */
#ifndef PERFTOOL_BASE_DURATION_H
#define PERFTOOL_BASE_DURATION_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"

/* "500ms", "10s", "2m", "1.5h", "1h30m"; a bare number is seconds. Not 0. */
struct error *duration_parse(const char *text, uint64_t *ns);

/* Append what duration_parse() reads as exactly so many ns: the greatest unit
 * that gives a whole number. */
void duration_append(uint64_t ns, struct str *out);

/* A number and its unit, which ends where the next number begins, are added to
 * `*ns', and `*text' goes past them; false: there is no such thing. Only a
 * number alone, which `is_first' allows, needs no unit: it is seconds. */
bool duration_take(const char **text, bool is_first, double *ns);

#endif
