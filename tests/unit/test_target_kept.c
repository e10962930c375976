/*
 * test_target_kept.c - memory that is mapped when kept pages are written
 *
 * tier: core
 * covers: target/memory target/remote
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "perftool/base/str.h"
#include "perftool/target/memory_maps.h"
#include "perftool/target/remote_calls.h"
#include "target_rig.h"

#define NAME "perftool-kept"
#define LINK "/memfd:" NAME " (deleted)"
#define SIZE 0x10000UL
/* More than the tool maps with a few remote calls. */
enum { MANY = 100 };

static void counting(struct shared *shared)
{
	atomic_store(&shared->ready, 1);
	rig_count(&shared->counters[0]);
}

/* All pages have the same rank. */
static unsigned one_rank(void *context, uint64_t page)
{
	(void)context;
	(void)page;
	return 0;
}

static size_t count_mappings(pid_t pid)
{
	struct mapping_list maps;
	size_t count = 0;

	assert_ok(target_read_maps(pid, &maps));
	for (size_t i = 0; i < maps.count; i++)
		count += str_equal(maps.data[i].path, LINK);
	mapping_list_deinit(&maps);
	return count;
}

struct kept_rig {
	struct rig rig;
	struct process *process;
	struct thread *thread;
	struct mapping_list maps;
	uint64_t low; /* of free addresses */
};

static void begin(struct kept_rig *kept)
{
	*kept = (struct kept_rig){0};
	rig_start(&kept->rig, counting);
	assert_true(rig_counts(&kept->rig));
	assert_ok(
		target_attach(kept->rig.target, kept->rig.pid, &kept->process));
	assert_ok(target_calling_thread(kept->process, &kept->thread));
	assert_ok(target_read_maps(kept->rig.pid, &kept->maps));
	kept->low = kept->maps.data[0].low / 2 & ~(SIZE - 1);
	target_keep(kept->process, one_rank, NULL);
}

static struct error *map(struct kept_rig *kept, uint64_t low, uint64_t *address)
{
	return target_map_within(kept->thread, low, low + SIZE, SIZE, 0, 0,
				 NAME, &kept->maps, address);
}

static void end(struct kept_rig *kept)
{
	mapping_list_deinit(&kept->maps);
	target_detach(kept->process);
	assert_true(rig_counts(&kept->rig));
	rig_end(&kept->rig);
}

/* Memory is as it will be before it is mapped, and it is mapped before kept
 * data are written. */
static void test_memory_is_mapped_when_pages_are_written(void **state)
{
	struct kept_rig kept;
	uint64_t address, word;

	(void)state;
	begin(&kept);
	for (uint64_t i = 0; i < MANY; i++) {
		assert_ok(map(&kept, kept.low + 2 * i * SIZE, &address));
		assert_int_equal(address, kept.low + 2 * i * SIZE);
		assert_ok(target_read(kept.process, address + 8, &word,
				      sizeof(word)));
		assert_int_equal(word, 0);
		word = 1000 + i;
		/* an odd address, and the last bytes */
		assert_ok(target_write(kept.process, address + 13, &word,
				       sizeof(word)));
		assert_ok(target_write(kept.process, address + SIZE - 8, &word,
				       sizeof(word)));
	}
	assert_int_equal(count_mappings(kept.rig.pid), 0);
	assert_ok(target_keep_no_more(kept.process));
	assert_int_equal(count_mappings(kept.rig.pid), MANY);
	for (uint64_t i = 0; i < MANY; i++) {
		address = kept.low + 2 * i * SIZE;
		for (int last = 0; last < 2; last++) {
			assert_ok(target_read(kept.process,
					      address + (last ? SIZE - 8 : 13),
					      &word, sizeof(word)));
			assert_int_equal(word, 1000 + i);
		}
		assert_ok(target_read(kept.process, address + 4096, &word,
				      sizeof(word)));
		assert_int_equal(word, 0);
	}
	end(&kept);
}

/* A page that was asked for before its memory was there is not known. */
static void test_memory_may_have_been_missing_before(void **state)
{
	uint64_t address, word = 0;
	struct kept_rig kept;
	struct error *error;

	(void)state;
	begin(&kept);
	error = target_read(kept.process, kept.low, &word, sizeof(word));
	assert_non_null(error);
	error_destroy(error);
	assert_ok(map(&kept, kept.low, &address));
	word = 77;
	assert_ok(target_write(kept.process, address, &word, sizeof(word)));
	assert_ok(target_keep_no_more(kept.process));
	word = 0;
	assert_ok(target_read(kept.process, address, &word, sizeof(word)));
	assert_int_equal(word, 77);
	end(&kept);
}

/* A remote call, before which the data are written, finds the memory, too. */
static void test_remote_calls_find_the_memory(void **state)
{
	const struct script_call call = {.number = 39 /* getpid(2) */};
	struct kept_rig kept;
	uint64_t address;
	int64_t result;

	(void)state;
	begin(&kept);
	assert_ok(map(&kept, kept.low, &address));
	assert_ok(target_remote_calls(kept.thread, &call, 1, NULL, 0, &result));
	assert_int_equal(result, kept.rig.pid);
	assert_int_equal(count_mappings(kept.rig.pid), 1);
	assert_ok(target_keep_no_more(kept.process));
	assert_int_equal(count_mappings(kept.rig.pid), 1);
	end(&kept);
}

/* How many times this process has called read(2) and the like. */
static unsigned long reads_made(void)
{
	unsigned long reads = 0;
	FILE *io = fopen("/proc/self/io", "r");
	char line[80];

	while (io && fgets(line, sizeof(line), io))
		sscanf(line, "syscr: %lu", &reads);
	if (io)
		fclose(io);
	return reads;
}

/* A page is read once, although it is written meanwhile; and again after
 * threads may have executed something. */
static void test_pages_are_read_once(void **state)
{
	unsigned long made, reading;
	struct kept_rig kept;
	uint64_t word = 0, was;

	(void)state;
	begin(&kept);
	assert_ok(target_read(kept.process, kept.maps.data[0].low, &was,
			      sizeof(was)));
	reading = reads_made();
	if (!reading)
		print_message("# this kernel does not count reads\n");
	reading = reads_made() - reading;
	made = reads_made();
	for (uint64_t i = 0; i < 200; i++) {
		word = was;
		assert_ok(target_write(kept.process, kept.maps.data[0].low,
				       &word, sizeof(word)));
		assert_ok(target_write_kept(kept.rig.target));
		assert_ok(target_read(kept.process, kept.maps.data[0].low + 64,
				      &word, sizeof(word)));
	}
	assert_true(reads_made() - made <= reading + 1);
	assert_ok(target_keep_no_more(kept.process));
	end(&kept);
}

/* Memory that cannot be mapped is an error when the data are written. What was
 * written elsewhere is in memory all the same: who takes it out again relies on
 * that. */
static void test_memory_that_cannot_be_mapped_is_an_error(void **state)
{
	uint64_t address, elsewhere, word = 5, missing;
	struct kept_rig kept;
	struct error *error;

	(void)state;
	begin(&kept);
	elsewhere = kept.maps.data[0].low + 4;
	assert_ok(target_write(kept.process, elsewhere, &word, sizeof(word)));
	missing = kept.low + 8 * SIZE;
	assert_ok(map(&kept, kept.low, &address));
	/* The list is old: it does not have the mapping. */
	mapping_list_deinit(&kept.maps);
	assert_ok(target_read_maps(kept.rig.pid, &kept.maps));
	assert_ok(map(&kept, kept.low, &address));
	for (int i = 0; i < MANY; i++)
		assert_ok(
			map(&kept, missing + 2 * (uint64_t)i * SIZE, &address));
	assert_ok(target_write(kept.process, address, &word, sizeof(word)));
	error = target_keep_no_more(kept.process);
	assert_non_null(error);
	assert_non_null(strstr(error_message(error), "mmap"));
	error_destroy(error);
	word = 0;
	assert_ok(target_read(kept.process, elsewhere, &word, sizeof(word)));
	assert_int_equal(word, 5);
	end(&kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_is_mapped_when_pages_are_written),
		cmocka_unit_test(test_memory_may_have_been_missing_before),
		cmocka_unit_test(test_remote_calls_find_the_memory),
		cmocka_unit_test(test_pages_are_read_once),
		cmocka_unit_test(test_memory_that_cannot_be_mapped_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
