/*
 * merge_run.h - `perftool merge`
 */
#ifndef UI_MERGE_RUN_H
#define UI_MERGE_RUN_H

struct options;

/* Merges the files that the command line names. Returns the exit status, and in
 * `*signal` the signal that has ended the work, if one has. */
int merge_main(const struct options *options, int *signal);

#endif
