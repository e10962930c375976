/*
 * duration.h - durations in the form in which people write them: "500ms",
 * "1h30m"
 */
#ifndef PERFTOOL_BASE_DURATION_H
#define PERFTOOL_BASE_DURATION_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"

/* Parse a duration such as "500ms", "10s", "2m", "1.5h" or "1h30m"; a number
 * without a unit is in seconds. Fails with ERROR_USAGE if the text is no
 * duration, or if the duration is shorter than 1 ns or longer than 1e18 ns. */
struct error *duration_parse(const char *text, uint64_t *ns);

/* Append the text that duration_parse() reads as exactly this number of ns. The
 * unit is the greatest that gives a whole number. */
void duration_append(uint64_t ns, struct str *out);

/* Append a duration for people to read: "3.2 ms", and "22.3 s" from a second
 * on.
 */
void duration_describe(uint64_t ns, struct str *out);

/*
 * Read one number and its unit from `*text`, add the duration to `*ns`, and
 * move `*text` behind the number and the unit. A unit ends where the next
 * number begins. A number needs no unit if `is_first` is true and nothing
 * follows the number; it is then in seconds. Returns false if the text does not
 * begin with a number and a known unit.
 */
bool duration_take(const char **text, bool is_first, double *ns);

#endif
