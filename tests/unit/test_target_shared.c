/*
 * test_target_shared.c - memory that a process shares with the tool, and its
 * segment base
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "target_rig.h"

#define NAME "perftool-shared"
#define SIZE (64UL * 1024)

static void counting(struct shared *shared)
{
	atomic_store(&shared->ready, 1);
	rig_count(&shared->counters[0]);
}

static const struct mapping *find_named(const struct mapping_list *maps)
{
	for (size_t i = 0; i < maps->count; i++)
		if (strstr(maps->data[i].path, NAME))
			return &maps->data[i];
	return NULL;
}

static void check_both_ways(struct process *process,
			    const struct shared_memory *memory)
{
	static const uint8_t pattern[] = "written there";
	uint8_t bytes[sizeof(pattern)];

	assert_ok(target_read(process, memory->address, bytes, sizeof(bytes)));
	for (size_t i = 0; i < sizeof(bytes); i++)
		assert_int_equal(bytes[i], 0);
	memcpy(memory->memory + 100, pattern, sizeof(pattern));
	assert_ok(target_read(process, memory->address + 100, bytes,
			      sizeof(bytes)));
	assert_memory_equal(bytes, pattern, sizeof(pattern));
	assert_ok(target_write(process, memory->address + SIZE - 32, pattern,
			       sizeof(pattern)));
	assert_memory_equal(memory->memory + SIZE - 32, pattern,
			    sizeof(pattern));
}

/* No descriptor of it is left open in the process. */
static void check_closed(pid_t pid)
{
	char path[64], link[256];

	for (int i = 0; i < 200; i++) {
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, i);
		length = readlink(path, link, sizeof(link) - 1);
		if (length < 0)
			continue;
		link[length] = 0;
		assert_null(strstr(link, NAME));
	}
}

static void test_memory_is_shared_in_both_directions(void **state)
{
	struct shared_memory memory;
	const struct mapping *mapping;
	struct mapping_list maps;
	struct process *process;
	struct thread *thread;
	struct rig rig;
	uint64_t base;

	(void)state;
	rig_start(&rig, counting);
	assert_true(rig_counts(&rig));
	assert_ok(target_attach(rig.target, rig.pid, &process));
	assert_ok(target_calling_thread(process, &thread));
	assert_ok(target_map_shared(thread, NAME, SIZE, &memory));
	assert_int_equal(memory.size, SIZE);
	check_both_ways(process, &memory);
	check_closed(rig.pid);
	assert_ok(target_read_maps(rig.pid, &maps));
	mapping = find_named(&maps);
	assert_non_null(mapping);
	assert_int_equal(mapping->low, memory.address);
	assert_int_equal(mapping->high, memory.address + SIZE);
	assert_true(mapping->shared && mapping->writable &&
		    !mapping->executable);
	mapping_list_deinit(&maps);

	assert_ok(target_set_reg(thread,
				 offsetof(struct user_regs_struct, gs_base),
				 memory.address));
	assert_ok(target_get_reg(
		thread, offsetof(struct user_regs_struct, gs_base), &base));
	assert_int_equal(base, memory.address);
	shared_memory_deinit(&memory);
	target_detach(process);
	assert_true(rig_counts(&rig));
	rig_end(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_is_shared_in_both_directions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
