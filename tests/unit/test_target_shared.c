/*
 * test_target_shared.c - memory that a process shares with the tool, its
 * segment base, and words in it that tell whether the tool lives
 *
 * tier: core
 * covers: target
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "perftool/target/memory_maps.h"
#include "perftool/target/remote_calls.h"
#include "target_rig.h"

#define NAME "perftool-shared"
/* the end of user space; above it is vsyscall */
#define HIGHEST 0x7ffffffff000UL
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

/* A jump of the tool leads no further than 2 GiB, and may have no choice. */
static void check_far_from_code(const struct mapping_list *maps,
				const struct mapping *mapping)
{
	const uint64_t reach = UINT64_C(1) << 31;

	for (size_t i = 0; i < maps->count; i++) {
		const struct mapping *other = &maps->data[i];

		if (other->executable && other->high < HIGHEST)
			assert_true(other->low > mapping->high + reach ||
				    other->high + reach < mapping->low);
	}
}

static void test_memory_is_shared_in_both_directions(void **state)
{
	const struct shared_layout layout = {
		.size = SIZE, .stride = SIZE, .count = 1};
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
	assert_ok(target_map_shared(thread, NAME, &layout, 0, &memory));
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
	check_far_from_code(&maps, mapping);
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

/* ---- whether the tool lives ------------------------------------------- */

#define WORDS 3
#define PAGE 4096UL

/* Memory that a process and the tool share, as far as the words matter. */
static struct shared_memory words_memory(void)
{
	void *memory = mmap(NULL, WORDS * PAGE, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	return (struct shared_memory){.memory = memory, .size = WORDS * PAGE};
}

static uint32_t life(const struct shared_memory *memory, unsigned index)
{
	return __atomic_load_n((uint32_t *)(memory->memory + index * PAGE),
			       __ATOMIC_ACQUIRE) &
	       TARGET_LIFE_MASK;
}

/* What the tool does until it is killed: it has three words, hides one of them,
 * and the program overwrites another one. */
static void be_killed(const struct clock *clock,
		      const struct shared_memory *memory, int ready)
{
	struct target *target = target_create(clock);
	unsigned numbers[WORDS];

	for (unsigned i = 0; i < WORDS; i++)
		if (target_show_life(target, memory, i * PAGE, &numbers[i]))
			_exit(1);
	target_hide_life(target, numbers[1]);
	memset(memory->memory + 2 * PAGE, 0x5a, PAGE);
	if (write(ready, "", 1) != 1)
		_exit(2);
	for (;;)
		pause();
}

static void test_words_tell_of_the_death_of_the_tool(void **state)
{
	struct shared_memory memory = words_memory();
	struct clock_inputs inputs = clock_inputs(false);
	struct clock clock;
	int ready[2], status;
	char byte;
	pid_t tool;

	(void)state;
	clock_init(&clock, &inputs);
	assert_int_equal(pipe(ready), 0);
	tool = fork();
	if (!tool)
		be_killed(&clock, &memory, ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(life(&memory, 0), tool);
	assert_int_equal(life(&memory, 1), 0);
	kill(tool, SIGKILL);
	assert_int_equal(waitpid(tool, &status, 0), tool);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(life(&memory, 0), 0);
	assert_int_equal(life(&memory, 1), 0);
	/* The kernel changes only words that have the number of the thread. */
	assert_int_equal(life(&memory, 2), 0x5a5a5a5a & TARGET_LIFE_MASK);
	close(ready[0]);
	close(ready[1]);
	munmap(memory.memory, memory.size);
}

static void test_words_are_used_again(void **state)
{
	struct shared_memory memory = words_memory();
	struct target *target;
	struct clock_inputs inputs = clock_inputs(false);
	struct clock clock;
	unsigned number;

	(void)state;
	clock_init(&clock, &inputs);
	target = target_create(&clock);
	for (unsigned i = 0; i < 1000; i++) {
		assert_ok(target_show_life(target, &memory, PAGE, &number));
		assert_int_equal(life(&memory, 1), getpid());
		target_hide_life(target, number);
		assert_int_equal(life(&memory, 1), 0);
	}
	target_hide_life(target, 0);
	target_destroy(target);
	munmap(memory.memory, memory.size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_is_shared_in_both_directions),
		cmocka_unit_test(test_words_tell_of_the_death_of_the_tool),
		cmocka_unit_test(test_words_are_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
