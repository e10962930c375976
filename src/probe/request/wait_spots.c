/*
 * wait_spots.c - the spots of REQUEST_WAITS, REQUEST_WAIT_ENDS and
 * REQUEST_WAKES: where a thread begins and ends to wait for a lock, and where
 * it wakes those that wait
 *
 * A function that takes a lock calls a function that waits in the kernel, by
 * futex(2), only if another thread has the lock. It passes the address of the
 * word in which the state of the lock is. That call is the spot: a thread that
 * finds the lock free does not get there. The function that waits has no name
 * that programs see. It is known by the system call that it makes, itself or in
 * the function to which it goes on.
 */
#include <string.h>

#include "call_spots.h"
#include "perftool/base/lock_kind.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/frame_rules.h"
#include "probe/probe_state.h"
#include "probe/site/site.h"

/* The functions in which threads wait, and the one that releases what others
 * wait for. */
static const struct lock_function {
	const char *name;
	enum lock_kind kind;
} takers[] = {{"pthread_mutex_lock", LOCK_MUTEX},
	      {"pthread_mutex_timedlock", LOCK_MUTEX},
	      {"pthread_mutex_clocklock", LOCK_MUTEX},
	      {"pthread_rwlock_rdlock", LOCK_READ},
	      {"pthread_rwlock_timedrdlock", LOCK_READ},
	      {"pthread_rwlock_clockrdlock", LOCK_READ},
	      {"pthread_rwlock_wrlock", LOCK_WRITE},
	      {"pthread_rwlock_timedwrlock", LOCK_WRITE},
	      {"pthread_rwlock_clockwrlock", LOCK_WRITE},
	      {"pthread_cond_wait", LOCK_CONDITION},
	      {"pthread_cond_timedwait", LOCK_CONDITION},
	      {"pthread_cond_clockwait", LOCK_CONDITION},
	      {"sem_wait", LOCK_SEMAPHORE},
	      {"sem_timedwait", LOCK_SEMAPHORE},
	      {"sem_clockwait", LOCK_SEMAPHORE}},
  releaser = {"pthread_mutex_unlock", LOCK_MUTEX};

/* The most bytes of a function that are looked at, and those of a function that
 * only goes on to the one that makes the system call. */
#define MOST_CODE 4096
#define SHORT_CODE 256
/* The same of a function whose end is not known. */
#define FEW_CODE 512
/* How many functions are between the one that programs call and the one that
 * waits; jumps and calls are counted alike. */
#define MOST_BETWEEN 2

#define SYS_FUTEX 202
#define OPERATION_MASK 0x7f
#define OPERATION_WAKE 1

/* What a function does in the kernel. */
enum futex_role { NO_FUTEX, FUTEX_WAITS, FUTEX_WAKES };

struct wait_search {
	struct debugfile *file;
	enum request_kind request;
	struct address_list seen;
	struct spot_list *out;
};

/* The code of a function. */
struct code {
	uint64_t address;
	size_t size;
	uint8_t bytes[MOST_CODE];
};

/* (Where the function ends is not looked up in the debug information, which
 * would have to be read for this.) */
static void read_code(struct debugfile *file, uint64_t address,
		      struct code *out)
{
	struct range range;
	uint64_t size = FEW_CODE;

	if (debugfile_frame_range(file, address, &range) &&
	    range.low == address)
		size = range.high - range.low;
	out->address = address;
	out->size = debugfile_read(file, address, out->bytes,
				   size < MOST_CODE ? size : MOST_CODE);
}

/* Decodes the instruction at an offset. Returns false behind the last one. */
static bool decode(const struct code *code, size_t at, struct insn *out)
{
	struct error *error;

	if (at >= code->size)
		return false;
	error = arch_decode(code->bytes + at, code->size - at,
			    code->address + at, out);
	if (!error)
		return true;
	error_destroy(error);
	return false;
}

static bool is_outside(const struct code *code, uint64_t address)
{
	return address < code->address || address >= code->address + code->size;
}

/* ---- what a function does in the kernel ---------------------------------- */

/* Does the instruction put a constant into esi, or change some bits of a
 * register by one (xor, or)? That is the operation of futex(2), which is made
 * of a constant and of the argument that says whether other processes use the
 * lock. */
static void note_operation(const struct insn *insn, uint8_t *operation)
{
	const uint8_t *at = insn->bytes;
	unsigned kind;

	if ((at[0] & 0xf0) == 0x40)
		at++; /* a REX prefix */
	kind = at[1] >= 0xc0 ? at[1] >> 3 & 7 : 0;
	if (at[0] == 0xbe) /* mov esi */
		*operation = at[1];
	else if (at[0] == 0x34 || at[0] == 0x0c) /* xor al, or al */
		*operation = at[1];
	else if (at[0] >= 0x80 && at[0] <= 0x83 && (kind == 6 || kind == 1))
		*operation = at[2];
}

static bool is_system_call(const struct insn *insn)
{
	return insn->length == 2 && insn->bytes[0] == 0x0f &&
	       insn->bytes[1] == 0x05;
}

/* Looks for the first futex(2) of the function. */
static enum futex_role role_of_code(const struct code *code)
{
	uint8_t operation = 0;
	bool is_futex = false;
	struct insn insn;

	for (size_t at = 0; decode(code, at, &insn); at += insn.length) {
		uint32_t number;

		note_operation(&insn, &operation);
		if (insn.bytes[0] == 0xb8) { /* mov eax */
			memcpy(&number, insn.bytes + 1, sizeof(number));
			is_futex = number == SYS_FUTEX;
		}
		if (!is_system_call(&insn))
			continue;
		if (is_futex)
			return (operation & OPERATION_MASK) == OPERATION_WAKE
				       ? FUTEX_WAKES
				       : FUTEX_WAITS;
		operation = 0;
	}
	return NO_FUTEX;
}

/* What the function does itself, or in the functions to which it goes on.
 * `between`: how many of these there may be. */
static enum futex_role role_of(struct debugfile *file, uint64_t address,
			       unsigned between)
{
	enum futex_role role;
	struct code code;
	struct insn insn;

	read_code(file, address, &code);
	role = role_of_code(&code);
	if (!between || code.size > SHORT_CODE)
		return role;
	for (size_t at = 0; role == NO_FUTEX && decode(&code, at, &insn);
	     at += insn.length)
		if (insn.kind == INSN_JUMP && is_outside(&code, insn.target))
			role = role_of(file, insn.target, between - 1);
	return role;
}

/* ---- where the word is in the lock --------------------------------------- */

#define RDI 7
#define REGISTERS 16

/* How far each register is behind the first argument of the function, as far as
 * it is known. */
struct distances {
	bool is_known[REGISTERS];
	int32_t bytes[REGISTERS];
};

/* Follows moves of addresses from register to register. What else is written to
 * a register is not followed: compilers keep such an address in a register that
 * they use for nothing else, and copy it to rdi just before the call. */
static void follow(struct distances *at, const struct insn *insn)
{
	const uint8_t rex = insn->bytes[0], opcode = insn->bytes[1],
		      modrm = insn->bytes[2];
	unsigned reg, other;
	int32_t distance = 0;

	if (insn->length < 3 || (rex & 0xf8) != 0x48)
		return;
	reg = (modrm >> 3 & 7u) | (rex & 4u) << 1;
	other = (modrm & 7u) | (rex & 1u) << 3;
	if (opcode == 0x89 && modrm >= 0xc0) { /* mov other, reg */
		unsigned to = other;

		other = reg;
		reg = to;
	} else if (opcode == 0x8d && modrm >> 6 == 1 && (modrm & 7) != 4) {
		distance = (int32_t)(int8_t)insn->bytes[3]; /* lea */
	} else if (opcode != 0x8b || modrm < 0xc0) {
		return;
	}
	at->is_known[reg] = at->is_known[other];
	at->bytes[reg] = at->bytes[other] + distance;
}

/* Threads that wait for a condition sleep on two words of it, which follow each
 * other. Their offset depends on the version of the C library. The word
 * directly before them counts the threads that wait. The functions that wait
 * add to that count by `lock xadd %reg, disp8(%base)`, and do so to no other
 * word of 32 bits. If this is such an instruction, sets *signals to the offset
 * of the two words in the condition. */
static void note_signals(const struct insn *insn,
			 const struct distances *distances, int32_t *signals)
{
	const uint8_t *at = insn->bytes + 1;
	unsigned base = 0;
	int32_t distance = 0;

	if (*signals >= 0 || insn->bytes[0] != 0xf0)
		return;
	if ((*at & 0xf8) == 0x40) /* REX without W: 32 bits */
		base = (*at++ & 1u) << 3;
	if (at[0] != 0x0f || at[1] != 0xc1 || (at[2] & 7) == 4)
		return;
	base |= at[2] & 7;
	if (at[2] >> 6 == 1)
		distance = (int32_t)(int8_t)at[3];
	else if (at[2] >> 6 != 0 || (at[2] & 7) == 5)
		return;
	if (distances->is_known[base])
		*signals = distances->bytes[base] + distance + 4;
}

/* ---- the spots ----------------------------------------------------------- */

static bool is_seen(const struct address_list *seen, uint64_t address)
{
	for (size_t i = 0; i < seen->count; i++)
		if (seen->data[i] == address)
			return true;
	return false;
}

static bool has_spot(const struct spot_list *list, uint64_t address)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->data[i].address == address)
			return true;
	return false;
}

static void add_spot(struct wait_search *search, const struct code *code,
		     const struct insn *call, enum lock_kind kind,
		     int32_t offset)
{
	struct spot spot = {.address = call->address, .role = ROLE_PLACE};

	if (search->request == REQUEST_WAIT_ENDS)
		spot.address += call->length;
	if (has_spot(search->out, spot.address))
		return;
	spot.function = (struct function){
		.address = code->address, .size = code->size, .local = true};
	spot.marks = wait_marks(kind, offset);
	vec_push(search->out, spot);
}

/* The kind of what threads wait for in a function that a function calls. */
static enum lock_kind kind_below(enum lock_kind kind)
{
	return kind == LOCK_CONDITION ? LOCK_RELOCK : kind;
}

/* Looks through the code of a function, and through the functions to which it
 * leads. */
static void look(struct wait_search *search, uint64_t address,
		 enum lock_kind kind, unsigned between)
{
	const enum futex_role wanted =
		search->request == REQUEST_WAKES ? FUTEX_WAKES : FUTEX_WAITS;
	struct distances distances = {.is_known = {[RDI] = true}};
	int32_t signals = -1, offset;
	struct code code;
	struct insn insn;

	if (is_seen(&search->seen, address))
		return;
	vec_push(&search->seen, address);
	read_code(search->file, address, &code);
	for (size_t at = 0; decode(&code, at, &insn); at += insn.length) {
		enum futex_role role = NO_FUTEX;

		follow(&distances, &insn);
		note_signals(&insn, &distances, &signals);
		if (insn.kind != INSN_CALL && insn.kind != INSN_JUMP)
			continue;
		if (!is_outside(&code, insn.target))
			continue;
		if (insn.kind == INSN_CALL)
			role = role_of(search->file, insn.target, MOST_BETWEEN);
		offset = distances.is_known[RDI] ? distances.bytes[RDI] : -1;
		if (kind == LOCK_CONDITION)
			offset = signals;
		if (role == wanted)
			add_spot(search, &code, &insn, kind, offset);
		else if (role == NO_FUTEX && between)
			look(search, insn.target,
			     insn.kind == INSN_CALL ? kind_below(kind) : kind,
			     between - 1);
	}
}

/* Appends the functions that are linked by this name. */
static struct error *find_by_name(struct debugfile *file, const char *name,
				  struct function_list *out)
{
	struct error *error = debugfile_find_functions(file, name, out);
	size_t kept = 0;

	for (size_t i = 0; i < out->count; i++)
		if (out->data[i].name && str_equal(out->data[i].name, name))
			out->data[kept++] = out->data[i];
	out->count = kept;
	return error;
}

static struct error *look_by_name(struct wait_search *search, const char *name,
				  enum lock_kind kind)
{
	struct function_list found = {0};
	struct error *error = find_by_name(search->file, name, &found);

	for (size_t i = 0; !error && i < found.count; i++)
		look(search, found.data[i].address, kind, MOST_BETWEEN);
	vec_free(&found);
	return error;
}

/* Does the file have POSIX threads? All of these functions are in one file. */
static struct error *has_threads(struct debugfile *file, bool *out)
{
	struct function_list found = {0};
	struct error *error = find_by_name(file, takers[0].name, &found);

	*out = found.count != 0;
	vec_free(&found);
	return error;
}

struct error *spots_of_waits(struct debugfile *file, enum request_kind request,
			     struct spot_list *out)
{
	struct wait_search search = {
		.file = file, .request = request, .out = out};
	struct error *error = NULL;
	bool is_here;

	TRY(has_threads(file, &is_here));
	if (!is_here)
		return NULL;
	if (request == REQUEST_WAKES)
		error = look_by_name(&search, releaser.name, releaser.kind);
	for (size_t i = 0; !error && request != REQUEST_WAKES &&
			   i < sizeof(takers) / sizeof(*takers);
	     i++)
		error = look_by_name(&search, takers[i].name, takers[i].kind);
	vec_free(&search.seen);
	return error;
}
