/*
 * unattended.h - tables that the tool writes while it measures the program
 *
 * The tool writes such tables at regular intervals (--every), and when SIGUSR1
 * asks for them. They are written to the file to which batch mode writes its
 * report at the end, one after the other.
 *
 * The program does not wait for the reader of the tables. If the file has no
 * room for all of the text, the tool keeps the rest and writes it later. Until
 * then it makes no other tables.
 */
#ifndef UI_UNATTENDED_H
#define UI_UNATTENDED_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"

struct ui;

struct unattended {
	/* text of tables for which the file had no room */
	struct str rest;
	/* When to try again to write the rest: CLOCK_MONOTONIC, in ns. */
	uint64_t next_try;
	bool was_written; /* some tables have been made */
	/* The errno value with which a write of tables has failed; 0: none has.
	 * After a failure the tool writes no more of these tables. */
	int failure;
	bool is_over; /* unattended_end() has been called */
};

/* Tells the session what the options --every and --delta ask for. The caller
 * calls this before anything is measured. */
void unattended_begin(struct ui *ui);
void unattended_deinit(struct ui *ui);

/* The function `report` of struct session_ui; `ui` is a struct ui. At a prompt
 * it prints tables if SIGUSR1 has asked for them, and ignores `due`. */
bool unattended_look(void *ui, bool due);

/* The caller is about to write other text to the same file: waits until the
 * rest of the tables is written. `ui` is a struct ui. */
void unattended_flush(void *ui);

/* Does the file of the report have, or will it have, other tables than the
 * report? */
bool unattended_repeats(const struct ui *ui);

/*
 * Writes what is left of the tables when the measuring is over. With --delta,
 * also writes what was counted since the last tables. A second call does
 * nothing. Returns an error if tables could not be written whole.
 */
struct error *unattended_end(struct ui *ui);

#endif
