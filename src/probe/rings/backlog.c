/*
 * backlog.c - see backlog.h
 */
#include "backlog.h"

#include "perftool/ring.h"

/* How long the tool may take to read the records that wait, ns. */
#define LONGEST 10e6
/* What a thread may use in any case, in bytes. A thread stops each time it has
 * used its room, so less would take more time for these stops than for its
 * records. */
#define LEAST UINT64_C(4096)
/* The mean is over about this many records. */
#define MEMORY 4096

void backlog_init(struct backlog *backlog)
{
	*backlog = (struct backlog){.room = RING_BYTES};
}

void backlog_note(struct backlog *backlog, uint64_t ns, size_t count,
		  size_t rings)
{
	double each;

	if (backlog->records > MEMORY) {
		backlog->ns *= MEMORY / backlog->records;
		backlog->records = MEMORY;
	}
	backlog->ns += (double)ns;
	backlog->records += (double)count;
	/* A single reading may have waited for a CPU. */
	if (backlog->records < LEAST / sizeof(struct ring_cell))
		return;
	each = LONGEST * backlog->records / (backlog->ns + 1) *
	       sizeof(struct ring_cell) / (double)(rings ? rings : 1);
	backlog->room = each >= RING_BYTES ? RING_BYTES
			: each < LEAST     ? LEAST
					   : (uint64_t)each;
	backlog->room -= backlog->room % sizeof(struct ring_cell);
}
