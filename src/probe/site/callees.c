/*
 * callees.c - see callees.h
 */
#include "callees.h"

#include <string.h>

#include "perftool/base/allocators.h"
#include "perftool/base/str.h"
#include "perftool/base/vec.h"
#include "perftool/probe/loaded_modules.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "site.h"

/* The longest code of a stub, up to the end of its jump. */
#define PLT_CODE 16

#define LOCKS                                                                  \
	{"pthread_mutex_lock", true, TAKEN_LOCK},                              \
		{"pthread_mutex_trylock", true, TAKEN_LOCK},                   \
		{"pthread_mutex_timedlock", true, TAKEN_LOCK},                 \
		{"pthread_mutex_clocklock", true, TAKEN_LOCK},                 \
		{"pthread_rwlock_rdlock", true, TAKEN_LOCK},                   \
		{"pthread_rwlock_tryrdlock", true, TAKEN_LOCK},                \
		{"pthread_rwlock_timedrdlock", true, TAKEN_LOCK},              \
		{"pthread_rwlock_clockrdlock", true, TAKEN_LOCK},              \
		{"pthread_rwlock_wrlock", true, TAKEN_LOCK},                   \
		{"pthread_rwlock_trywrlock", true, TAKEN_LOCK},                \
		{"pthread_rwlock_timedwrlock", true, TAKEN_LOCK},              \
		{"pthread_rwlock_clockwrlock", true, TAKEN_LOCK},              \
		{"sem_wait", true, TAKEN_LOCK},                                \
		{"sem_trywait", true, TAKEN_LOCK},                             \
		{"sem_timedwait", true, TAKEN_LOCK},                           \
	{                                                                      \
		"sem_clockwait", true, TAKEN_LOCK                              \
	}

#define WAITS                                                                  \
	{"pthread_cond_wait", true, TAKEN_AGAIN},                              \
		{"pthread_cond_timedwait", true, TAKEN_AGAIN},                 \
	{                                                                      \
		"pthread_cond_clockwait", true, TAKEN_AGAIN                    \
	}

static const struct callee tests[] = {LOCKS};
static const struct callee enters[] = {LOCKS, WAITS};
static const struct callee exits[] = {
	{"pthread_mutex_unlock", true, TAKEN_ANY},
	{"pthread_rwlock_unlock", true, TAKEN_ANY},
	{"sem_post", true, TAKEN_ANY},
	WAITS};

static size_t all_allocators(struct callee out[static MOST_CALLEES])
{
	const struct allocator *allocator;
	size_t count = 0;

	for (; (allocator = allocator_at(count)); count++)
		out[count] = (struct callee){allocator->name, true, TAKEN_ANY};
	return count;
}

size_t callees_of(const struct breakpoint *breakpoint,
		  struct callee out[static MOST_CALLEES])
{
	const struct callee *from;
	size_t count;

	switch (breakpoint->kind) {
	case REQUEST_ALLOCATIONS:
		return all_allocators(out);
	case REQUEST_SYNC_TEST:
		from = tests;
		count = sizeof(tests) / sizeof(*tests);
		break;
	case REQUEST_SYNC_ENTER:
		from = enters;
		count = sizeof(enters) / sizeof(*enters);
		break;
	case REQUEST_SYNC_EXIT:
		from = exits;
		count = sizeof(exits) / sizeof(*exits);
		break;
	default:
		out[0] = (struct callee){breakpoint->location.name, false,
					 TAKEN_ANY};
		return 1;
	}
	memcpy(out, from, count * sizeof(*out));
	return count;
}

/* ---- where an indirect call leads ---------------------------------------- */

struct error *callee_functions(struct debugfile *file,
			       const struct callee *callee,
			       struct function_list *out)
{
	size_t kept = out->count;

	TRY(debugfile_find_functions(file, callee->name, out));
	for (size_t i = kept; i < out->count; i++)
		if (!callee->is_exact ||
		    (out->data[i].name &&
		     str_equal(out->data[i].name, callee->name)))
			out->data[kept++] = out->data[i];
	out->count = kept;
	return NULL;
}

static bool is_function(struct module *module, const struct callee *callee,
			uint64_t address)
{
	struct function_list functions = {0};
	bool found = false;

	error_destroy(
		callee_functions(module_file(module), callee, &functions));
	for (size_t i = 0; !found && i < functions.count; i++)
		found = functions.data[i].address == address;
	vec_free(&functions);
	return found;
}

static bool is_word(struct module *module, const struct callee *callee,
		    uint64_t word)
{
	struct address_list words = {0};
	bool found = false;

	debugfile_import_words(module_file(module), callee->name,
			       callee->is_exact, &words);
	for (size_t i = 0; !found && i < words.count; i++)
		found = words.data[i] == word;
	vec_free(&words);
	return found;
}

static bool look_up(struct space *space, const struct breakpoint *breakpoint,
		    uint64_t address)
{
	struct module *module = space_module_at(space, address);
	struct callee callees[MOST_CALLEES];
	size_t count = callees_of(breakpoint, callees);
	uint8_t code[PLT_CODE];
	uint64_t word = 0;
	size_t size;

	if (!module || !module_file(module))
		return false;
	address -= module->bias;
	size = debugfile_read(module_file(module), address, code, sizeof(code));
	arch_stub_word(code, size, address, &word);
	for (size_t i = 0; i < count; i++)
		if (is_function(module, &callees[i], address) ||
		    (word && is_word(module, &callees[i], word)))
			return true;
	return false;
}

bool callee_is_at(struct space *space, struct breakpoint *breakpoint,
		  uint64_t address)
{
	uint64_t known = map_get_number(&breakpoint->leads, address);

	/* (Number 0 cannot be kept in a map.) */
	if (!known) {
		known = look_up(space, breakpoint, address) ? 2 : 1;
		map_set_number(&breakpoint->leads, address, known);
	}
	return known == 2;
}
