/*
 * files.h - what this folder offers to the others: a flame graph as a part of a
 * page
 *
 * This folder uses the folders figures and records.
 */
#ifndef REPORT_FILES_H
#define REPORT_FILES_H

#include "perftool/report/profile_files.h"

/* Append the flame graph as an <svg> element, with its style sheet inside, and
 * with fewer frames than its file has. `profile->stacks` must be there. */
void flame_figure(const struct profile *profile, struct str *out);

#endif
