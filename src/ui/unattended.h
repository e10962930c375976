/*
 * unattended.h - tables that are written while the program is measured
 *
 * Every so often (--every), and when SIGUSR1 asks for them. They go where the
 * report of batch mode goes at the end, one after the other. The program does
 * not wait for whoever reads them: what there is no room for is kept and
 * written later, and until then no other tables are.
 */
#ifndef UI_UNATTENDED_H
#define UI_UNATTENDED_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"

struct ui;

struct unattended {
	struct str rest;   /* of tables: there was no room for it */
	uint64_t next_try; /* when there may be, CLOCK_MONOTONIC, ns */
	bool was_written;  /* some tables */
	int failure;       /* of writing them: errno, and no more are written */
	bool is_over;
};

/* Tell the session, which has measured nothing yet, what the options ask for.
 */
void unattended_begin(struct ui *ui);
void unattended_deinit(struct ui *ui);

/* `report` of struct session_ui. */
bool unattended_look(void *ui, bool due);

/* Other text is about to go where they go: wait until the rest is written. */
void unattended_flush(void *ui);

/* Are there other tables in the file that the report goes to, or will there be?
 */
bool unattended_repeats(const struct ui *ui);

/*
 * The measuring is over: write what is left, and with --delta what was counted
 * since the last time. Does nothing when it is called again. Fails when tables
 * could not be written whole.
 */
struct error *unattended_end(struct ui *ui);

#endif
