/*
 * backlog.h - how many records may wait for the reader of the rings
 *
 * The tool reads all records that were written before an event before it
 * handles the event. It does nothing else meanwhile, and answers no front end.
 * A record of a hit that belongs to hundreds of legs takes a hundred times as
 * long as others. So the threads may use only as much of their rings as the
 * tool reads in a short time. A thread that has used it waits, as it does when
 * its ring is full: no hit is lost, and the wait is in no leg.
 */
#ifndef PROBE_BACKLOG_H
#define PROBE_BACKLOG_H

#include <stddef.h>
#include <stdint.h>

struct backlog {
	/* how long the reader took for how many records: those of the last
	 * time count most */
	double ns, records;
	uint64_t room; /* how much of its ring a thread may use, in bytes */
};

void backlog_init(struct backlog *backlog);
/* The reader has read `count` records, which were in `rings` rings, in `ns`. */
void backlog_note(struct backlog *backlog, uint64_t ns, size_t count,
		  size_t rings);

#endif
