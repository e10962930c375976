/*
 * unmapping.c - unmaps memory that a perftool has mapped into a process
 *
 * A thread of the process makes the system calls, and each script of remote
 * calls costs the process a tenth of a millisecond. There may be thousands of
 * pieces of memory. So the pieces that touch each other are unmapped together,
 * and a script makes as many calls as it can.
 */
#include <stdlib.h>
#include <sys/syscall.h>

#include "perftool/target/remote_calls.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "unmapping.h"

static int compare(const void *a, const void *b)
{
	const struct mapped *one = a, *other = b;

	return (one->low > other->low) - (one->low < other->low);
}

/* Join the pieces that touch each other. Returns the number of pieces that
 * there are then. */
static size_t join(struct mapped *pieces, size_t count)
{
	size_t joined = 0;

	qsort(pieces, count, sizeof(*pieces), compare);
	for (size_t i = 0; i < count; i++) {
		if (joined && pieces[i].low == pieces[joined - 1].high)
			pieces[joined - 1].high = pieces[i].high;
		else
			pieces[joined++] = pieces[i];
	}
	return joined;
}

struct error *space_unmap(struct space *space, struct mapped *pieces,
			  size_t count)
{
	struct script_call calls[ARCH_SCRIPT_CALLS];
	int64_t results[ARCH_SCRIPT_CALLS];
	struct thread *thread;
	size_t some = 0;

	if (!count)
		return NULL;
	count = join(pieces, count);
	TRY(space_calling_thread(space, &thread));
	for (size_t i = 0; i < count; i++) {
		calls[some++] = (struct script_call){
			.number = SYS_munmap,
			.args = {pieces[i].low, pieces[i].high - pieces[i].low},
		};
		if (some < ARCH_SCRIPT_CALLS && i + 1 < count)
			continue;
		TRY(target_remote_calls(thread, calls, some, NULL, 0, results));
		some = 0;
	}
	space_forget_maps(space);
	return NULL;
}
