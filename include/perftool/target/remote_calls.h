/*
 * remote_calls.h - system calls that threads of the program make for the tool
 */
#ifndef PERFTOOL_TARGET_REMOTE_CALLS_H
#define PERFTOOL_TARGET_REMOTE_CALLS_H

#include "perftool/target.h"

/*
 * Choose the STOPPED thread of a process in which remote calls disturb the
 * program least: a thread that is in no system call, does not wait for a
 * signal, and is not under a seccomp filter. If there is none, the error says
 * why: no thread is STOPPED, or every thread is under a filter that might kill
 * the thread for a remote call. A filter that the tool itself is under does not
 * count. Where PTRACE_O_SUSPEND_SECCOMP is allowed, the tool uses it.
 */
struct error *target_calling_thread(struct process *process,
				    struct thread **out);

/*
 * Make system calls in a STOPPED thread. The calls are made by a script that
 * completes by itself (arch.h). `data` is placed next to the script. The script
 * is placed in zero bytes: in the memory that target_set_scripts() has set,
 * else at the end of the vdso. The tool never writes over a script that an
 * earlier tool, which died, has left there. `results[i]` gets what call i
 * returned, which may be a negative errno value.
 */
struct error *target_remote_calls(struct thread *thread,
				  const struct script_call *calls, size_t count,
				  const void *data, size_t data_size,
				  int64_t *results);

/* Set executable memory that the tool has mapped into the process. From now on
 * scripts are placed there. */
void target_set_scripts(struct process *process, uint64_t address, size_t size);

/* Find the addresses behind the end of the vdso's file, up to the end of its
 * mapping. Scripts may be there. */
struct error *target_vdso_room(struct process *process, uint64_t *low,
			       uint64_t *high);

/* Find at least `size` zero bytes, aligned to 16, in the memory for scripts (or
 * at the end of the vdso if none is set). */
struct error *target_find_script_room(struct process *process, size_t size,
				      uint64_t *address);

/*
 * A tool that died may have left scripts in [low, high) or behind the end of
 * the vdso, and threads may be in the middle of such a script. Lead these
 * threads through their scripts, including threads of other processes that
 * share the memory. Afterwards they are STOPPED again, and have executed no
 * instruction of the program beyond the one to which the script leads. Then the
 * function fills this memory with zeros, except the scripts to which the frame
 * of a signal handler may still lead back.
 */
struct error *target_finish_scripts(struct process *process, uint64_t low,
				    uint64_t high);

/*
 * Map `size` bytes of private memory, readable and executable, into the process
 * of `thread`, which must be STOPPED. /proc/PID/maps shows the memory as a
 * memfd named `name`. All of the memory is within `reach` bytes of all of [low,
 * high), and is not within 1 GiB above the heap. The function fails if there is
 * no room, or if the process may not have such memory.
 */
struct error *target_map_near(struct thread *thread, uint64_t low,
			      uint64_t high, uint64_t reach, uint64_t size,
			      const char *name, uint64_t *address);

/* The room that the tool leaves free above the heap, so that brk(2) can enlarge
 * the heap: as a rule, and where memory is scarce. If a heap of malloc(3)
 * cannot grow any more, malloc(3) takes memory elsewhere; a program that calls
 * sbrk(3) itself fails. */
#define TARGET_HEAP_ROOM (1024UL * 1024 * 1024)
#define TARGET_HEAP_LEAST (128UL * 1024 * 1024)

/* Map memory as target_map_near() does, but all of it within [low, high], and
 * not within `heap_room` bytes above the heap, which begins at `start_of_heap`
 * (target_start_of_heap()). While pages of the process are kept
 * (target_keep()), the memory is mapped before they are written. `maps` lists
 * the mappings of the process. The function reads the list if it is empty, and
 * enters the new mapping in it, because a process may have thousands of these
 * mappings. */
struct error *target_map_within(struct thread *thread, uint64_t low,
				uint64_t high, uint64_t size,
				uint64_t start_of_heap, uint64_t heap_room,
				const char *name, struct mapping_list *maps,
				uint64_t *address);
/* Would target_map_within() find room in [low, high]? `start_of_heap` is the
 * result of target_start_of_heap(). The function maps nothing. */
bool target_has_room(const struct mapping_list *maps, uint64_t start_of_heap,
		     uint64_t heap_room, uint64_t low, uint64_t high,
		     uint64_t size);
/* The address at which the heap of brk(2) begins for a thread; 0: the address
 * cannot be read, or there is no heap. */
uint64_t target_start_of_heap(pid_t pid, pid_t tid);

/* Map memory as target_map_near() does, but at `address`, where nothing may be
 * mapped yet. */
struct error *target_map_at(struct thread *thread, uint64_t address,
			    uint64_t size, const char *name);

/*
 * Which addresses shared memory has in the process: `count` pieces of `size`
 * bytes that begin `stride` bytes apart (at least `size`), the first of them
 * behind `first` bytes more. The addresses between the pieces are not mapped,
 * so they do not count for the limits of the process. In the tool the pieces
 * follow each other.
 */
struct shared_layout {
	size_t first, size, stride;
	unsigned count;
};
#define SHARED_MOST_PIECES 16

/* How far piece `index` is from the beginning, in the process and in the tool.
 * (Piece 0 begins with the `first` bytes.) */
static inline uint64_t shared_distance(const struct shared_layout *layout,
				       unsigned index)
{
	return index ? layout->first + (uint64_t)index * layout->stride : 0;
}
static inline uint64_t shared_offset(const struct shared_layout *layout,
				     unsigned index)
{
	return index ? layout->first + (uint64_t)index * layout->size : 0;
}
static inline uint64_t shared_piece_size(const struct shared_layout *layout,
					 unsigned index)
{
	return layout->size + (index ? 0 : layout->first);
}

/* Memory that the tool shares with a process, and with the forked children of
 * the process, which have it at the same address. The process and the tool can
 * read and write it. It is zero at first. The tool's mapping lasts until
 * shared_memory_deinit(). */
struct shared_memory {
	uint64_t address; /* the address in the process */
	struct shared_layout layout;
	uint8_t *memory; /* the address in the tool */
	size_t size;     /* of all pieces together */
	/* as /proc/PID/maps shows it in every process that has the memory */
	uint64_t inode;
};
/* Map shared memory into the process of `thread`, which is STOPPED, at
 * `address`, where nothing may be mapped yet. 0: far from the program's code,
 * where there are free addresses, because those near the code are wanted for
 * targets of jumps. The caller frees `out` with shared_memory_deinit(). The
 * error says which step has failed; its number is ENOMEM if the process may not
 * have so much memory, or so many mappings, and EAGAIN if it locks all its
 * memory and may not lock so much. */
struct error *target_map_shared(struct thread *thread, const char *name,
				const struct shared_layout *layout,
				uint64_t address, struct shared_memory *out);
/* Unmap the memory from the process of `thread`, which is STOPPED, and from the
 * tool. */
void target_unmap_shared(struct thread *thread, struct shared_memory *shared);
void shared_memory_deinit(struct shared_memory *shared);

/*
 * Store in the shared memory, at `offset` (the beginning of a page), a word of
 * 32 bits by which the process can see whether the tool lives: the bits
 * TARGET_LIFE_MASK are not all 0 as long as the calling thread, which traces
 * the process, lives. When this thread ends, in whatever way, the kernel clears
 * these bits before the process goes on without the tool. `*number` identifies
 * the word for target_hide_life(). The errors are those of set_robust_list(2)
 * and mremap(2); there are at most 256 such words.
 */
#define TARGET_LIFE_MASK 0x3fffffffU
struct error *target_show_life(struct target *target,
			       const struct shared_memory *shared,
			       size_t offset, unsigned *number);
/* Clear the word. The shared memory may then be unmapped. `number` may be 0. */
void target_hide_life(struct target *target, unsigned number);

#endif
