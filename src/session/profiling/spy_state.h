/*
 * spy_state.h - the state of the Spy
 *
 *	OFF -------- spy on ---------> RECORDING
 *	OFF -------- spy starts on --> ARMED
 *	ARMED ------ a start break --> RECORDING
 *	RECORDING -- as many stops as starts --> ARMED, if breaks are armed
 *	ARMED, RECORDING -- spy off, spy display --> OFF
 *
 * The end of the program changes nothing: the Spy watches the next run, too.
 */
#ifndef SESSION_SPY_STATE_H
#define SESSION_SPY_STATE_H

#include "perftool/session/spy.h"
#include "perftool/target/target_events.h"
#include "recorder.h"
#include "spy_allocations.h"
#include "spy_breaks.h"
#include "spy_spaces.h"

enum spy_state { SPY_OFF, SPY_ARMED, SPY_RECORDING };

struct spy {
	struct recorder recorder;
	struct spied_breaks breaks;
	struct spied_mapping_list spaces;
	struct spied_allocations allocations;
	enum spy_state state;
	enum spy_watch watch;
	double rate;
	bool has_rate;        /* the user has chosen it */
	pid_t tid;            /* the thread that is watched; 0: all threads */
	bool by_break_thread; /* `spy process break` */
	/* what the samples are of: the watch and the thread of the last time
	 * that the Spy was on */
	enum spy_watch recorded_watch;
	double stop_cost; /* recorder_stop_cost(), when the Spy went on */
	/* what the target had counted then */
	struct call_stops calls_before;
	pid_t recorded_tid;
	bool was_on;
	bool used_starts; /* start breaks began the recording */
	bool is_seen;     /* the samples were displayed, or there are none */
	struct timespec began; /* the time of day when the Spy went on first */
};

void spy_init(struct spy *spy, struct session *session);
void spy_deinit(struct spy *spy);

/* spy.c. Begin to record. `is_paused`: nothing is recorded before
 * recorder_pause() ends the pause. */
struct error *spy_begin(struct spy *spy, bool is_paused);
/* The first start break was hit, by this thread. */
void spy_started(struct spy *spy, pid_t tid);

/* spy_breaks.c. Insert the breakpoints that the Spy needs now: those that make
 * samples, and with `starts` those that start and stop. An error removes what
 * it has inserted. */
struct error *spy_breaks_arm(struct spy *spy, bool starts);
void spy_breaks_disarm(struct spy *spy);
bool spy_has_breaks(const struct spy *spy, enum spy_break_kind kind);
void spy_breaks_deinit(struct spied_breaks *breaks);

/* Is this thread watched now? */
bool spy_watches(const struct spy *spy, pid_t tid);
/* A breakpoint of the Spy was hit; false: it is not one of the Spy's. */
bool spy_hit(struct spy *spy, const struct probe_event *event);

/* An event of the target was handled. */
void spy_event(struct spy *spy, const struct event *event);

/* The words of the watches: "cpu", "pagefaults", ... */
const char *spy_watch_word(enum spy_watch watch);

#endif
