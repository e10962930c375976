/*
 * profile_events.h - what run control tells the profiles of the session
 *
 * The folder run calls these functions, and does not know the folder profiling,
 * which defines them (call_events.c).
 */
#ifndef SESSION_PROFILE_EVENTS_H
#define SESSION_PROFILE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct event;
struct probe_event;
struct process;
struct session;
struct thread;

/* Makes what belongs to profiles, and frees it. */
void profile_create(struct session *session);
void profile_destroy(struct session *session);

/* Of each event of the probe layer, before anything else looks at it. */
void profile_event(struct session *session, const struct probe_event *event);
/* Of each event, before anything else looks at it: a thread or a process may
 * have ended, or may execute another program. */
void profile_note_end(struct session *session, const struct event *event);
/* A thread has ended, or a process has ended, has been let go or executes
 * another program, and the probe layer has told everything of it. */
void profile_thread_gone(struct session *session, const struct thread *thread);
void profile_process_gone(struct session *session, pid_t pid);
/* The program runs, or stands still. */
void profile_set_running(struct session *session, bool runs, uint64_t time);
/* Only this process, or this thread, is tracked; 0: all are. */
void profile_set_tracked(struct session *session, pid_t pid, pid_t tid);
/* `set compensation` has changed. */
void profile_set_compensation(struct session *session, bool on);
/* Does a profile need the context switches of threads? */
bool profile_wants_switches(const struct session *session);
/* Has the user asked for a profile? */
bool profile_has_requests(const struct session *session);

#endif
