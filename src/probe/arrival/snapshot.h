/*
 * snapshot.h - what one break needs to know of its thread, read when it is
 * first needed, and once
 */
#ifndef PROBE_SNAPSHOT_H
#define PROBE_SNAPSHOT_H

#include "perftool/probe.h"

struct attachment;
struct site;

#define SNAPSHOT_BLOCK 512 /* bytes; none lies in two pages */
#define SNAPSHOT_BLOCKS 4

struct snapshot {
	struct probe *probe;
	struct thread *thread;
	uint64_t pc, sp; /* before the int3 */
	bool has_regs;
	bool wanted_regs; /* more than the pc and sp was asked for */
	unsigned blocks;  /* read so far; the last few of them are kept */
	struct user_regs_struct regs;      /* as before the int3 */
	struct user_regs_struct elsewhere; /* see snapshot_regs_at() */
	struct {
		uint64_t address;
		size_t size;
		uint8_t bytes[SNAPSHOT_BLOCK];
	} block[SNAPSHOT_BLOCKS];
};

void snapshot_begin(struct snapshot *snapshot, struct probe *probe,
		    const struct event *event);

/* Tell the target what the next trap of the thread is likely to need. */
void snapshot_end(const struct snapshot *snapshot);

/* Fill in `regs`. */
struct error *snapshot_regs(struct snapshot *snapshot);

/* What is known without asking: its rip and rsp. */
void snapshot_few_regs(struct snapshot *snapshot);

/* As they are at the attachment's own address, in so far as its expressions
 * want to know (transfer.c); valid until the next call. */
const struct user_regs_struct *
snapshot_regs_at(struct snapshot *snapshot,
		 const struct attachment *attachment);

/* site_hits.c: where does an indirect jump lead? */
struct error *find_target(struct snapshot *snapshot, const struct site *site,
			  const struct attachment *attachment,
			  uint64_t *target);
/* site_hits.c: is this really an exit, this time? */
struct error *is_reached(struct snapshot *snapshot, const struct site *site,
			 const struct attachment *attachment, bool *reached);
/* site_hits.c: the frame that the attachment is about. */
struct error *find_frame(struct snapshot *snapshot,
			 const struct attachment *attachment, struct hit *hit);
/* A hit of code that Go has compiled is one of its goroutine (`goroutine`,
 * `depth`). After find_frame(). */
struct error *find_goroutine(struct snapshot *snapshot,
			     const struct attachment *attachment,
			     struct hit *hit);

/* For a frame_reader whose context is a snapshot with registers. */
bool snapshot_memory(void *snapshot, uint64_t address, void *buffer,
		     size_t size);
bool snapshot_vectors(void *snapshot, struct user_fpregs_struct *out);

#endif
