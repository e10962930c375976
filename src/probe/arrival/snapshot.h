/*
 * snapshot.h - the registers and the memory of a thread, as far as its hits at
 * one break need them
 *
 * Each piece is read when it is first needed, and only once.
 */
#ifndef PROBE_SNAPSHOT_H
#define PROBE_SNAPSHOT_H

#include "perftool/probe.h"
#include "perftool/target/target_events.h"

struct attachment;
struct site;

#define SNAPSHOT_BLOCK 512 /* bytes; a block never spans two pages */
#define SNAPSHOT_BLOCKS 4

struct snapshot {
	struct probe *probe;
	struct thread *thread;
	uint64_t pc, sp; /* the pc of the int3, and the stack pointer there */
	bool has_regs;
	/* A hit of this break has needed more than the pc and the stack
	 * pointer. */
	bool wanted_regs;
	/* the number of blocks read so far; the last SNAPSHOT_BLOCKS of them
	 * are kept */
	unsigned blocks;
	/* the registers, with the address of the int3 as the pc */
	struct user_regs_struct regs;
	struct user_regs_struct elsewhere; /* see snapshot_regs_at() */
	struct {
		uint64_t address;
		size_t size;
		uint8_t bytes[SNAPSHOT_BLOCK];
	} block[SNAPSHOT_BLOCKS];
};

void snapshot_begin(struct snapshot *snapshot, struct probe *probe,
		    const struct event *event);

/* Tell the target layer whether the next trap of this thread is likely to need
 * all registers. */
void snapshot_end(const struct snapshot *snapshot);

/* Read all registers into `regs`, unless they are there already. */
struct error *snapshot_regs(struct snapshot *snapshot);

/* Fill in rip and rsp of `regs`, which are known without a system call. */
void snapshot_few_regs(struct snapshot *snapshot);

/* The registers as they would be at the attachment's own address, if its
 * breakpoint was moved to another site (transfer.c). Only the registers on
 * which its expressions depend are right. The result is valid until the next
 * call. */
const struct user_regs_struct *
snapshot_regs_at(struct snapshot *snapshot,
		 const struct attachment *attachment);

/* site_hits.c: Find the address to which an indirect jump is about to lead. */
struct error *find_target(struct snapshot *snapshot, const struct site *site,
			  const struct attachment *attachment,
			  uint64_t *target);
/* site_hits.c: Is the attachment's place reached? The answer is no if the place
 * is an exit of a function and the instruction does not leave the function this
 * time. */
struct error *is_reached(struct snapshot *snapshot, const struct site *site,
			 const struct attachment *attachment, bool *reached);
/* site_hits.c: Fill in what the attachment's breakpoint wants to know of the
 * frame: the CFA, the stack and the stack pointer. */
struct error *find_frame(struct snapshot *snapshot,
			 const struct attachment *attachment, struct hit *hit);
/* If a goroutine makes the hit, because the code was compiled by Go, fill in
 * `goroutine` and `depth` of the hit. Must be called after find_frame(). */
struct error *find_goroutine(struct snapshot *snapshot,
			     const struct attachment *attachment,
			     struct hit *hit);

/* Callbacks of a frame_reader whose context is a snapshot. They read memory and
 * vector registers of the thread. */
bool snapshot_memory(void *snapshot, uint64_t address, void *buffer,
		     size_t size);
bool snapshot_vectors(void *snapshot, struct user_fpregs_struct *out);

#endif
