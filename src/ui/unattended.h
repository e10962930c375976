/*
 * unattended.h - tables that the tool writes while it measures the program
 *
 * The tool writes such tables at regular intervals (--every), and when SIGUSR1
 * asks for them. They are written to the file to which batch mode writes its
 * report at the end, one table after the other.
 *
 * The program does not wait for the process that reads the tables. If the file
 * (such as a pipe) has no room for all of the text, the tool keeps the rest and
 * writes it later. Until then it makes no other tables.
 */
#ifndef UI_UNATTENDED_H
#define UI_UNATTENDED_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"

struct ui;

struct unattended {
	/* text of tables that is not written yet, because the file had no room
	 */
	struct str rest;
	/* When the tool tries again to write the rest: CLOCK_MONOTONIC, in ns.
	 */
	uint64_t next_try;
	bool was_written; /* has the tool made some tables? */
	/* The errno value with which a write of tables has failed; 0: no write
	 * has failed. After a failure the tool writes no more of these tables.
	 */
	int failure;
	bool is_over; /* unattended_end() has been called */
};

void unattended_deinit(struct ui *ui);

/* Implements `report` of struct perftool_user; `ui` is a struct ui. At a prompt
 * the function prints tables if SIGUSR1 has asked for them, and ignores `due`.
 */
bool unattended_look(void *ui, bool due);

/* Writes the rest of the tables, and waits until it is written. A caller that
 * is about to write other text to the same file calls this function first. `ui`
 * is a struct ui. */
void unattended_flush(void *ui);

/* Does the file of the report have, or will it have, tables from before the end
 * of the run, besides the report? */
bool unattended_repeats(const struct ui *ui);

/*
 * Writes the rest of the tables when the measurement is over. With --delta,
 * also writes what was counted since the last tables. A second call does
 * nothing. Returns an error if tables could not be written whole.
 */
struct error *unattended_end(struct ui *ui);

#endif
