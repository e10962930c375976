/*
 * test_debuginfo_libdwarf_index.c - the index against libdwarf
 *
 * All inlined calls, named types and variables that the index has, in any
 * number of threads, are those that a plain walk over all DIEs finds.
 *
 * tier: full
 * covers: debuginfo/index debuginfo/dwarf
 */
#include "debuginfo/index/index.h"
#include "libdwarf_compare.h"
#include "perftool/debuginfo/code_lines.h"

enum category {
	CALLS,
	TYPES,
	VARIABLES,
};

/* Anything of the index, in the form in which it is compared. */
struct entry {
	const char *name; /* of calls and variables */
	uint64_t place;   /* address of a call; of others, the DIE */
	uint32_t hash;    /* of types */
	bool flag;
};
VEC_STRUCT(entry_list, struct entry);

static int compare_entries(const void *a_, const void *b_)
{
	const struct entry *a = a_, *b = b_;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	if (a->name && b->name)
		return strcmp(a->name, b->name);
	return 0;
}

static void sort(struct entry_list *list)
{
	if (list->count)
		qsort(list->data, list->count, sizeof(*list->data),
		      compare_entries);
}

static bool is_same(const struct entry *a, const struct entry *b)
{
	return compare_entries(a, b) == 0 && a->hash == b->hash &&
	       a->flag == b->flag;
}

static void tell(struct comparison *comparison, size_t category,
		 const char *who, const struct entry *entry)
{
	if (count(comparison, category, false))
		print_message("# %s: only %s has %s at %#lx (%#x, %d)\n",
			      comparison->what, who,
			      entry->name ? entry->name : "a type",
			      entry->place, entry->hash, entry->flag);
}

/* Both are let go. */
static void compare_lists(struct comparison *comparison, size_t category,
			  struct entry_list *ours, struct entry_list *theirs)
{
	size_t i = 0, j = 0;

	sort(ours);
	sort(theirs);
	while (i < ours->count || j < theirs->count) {
		const struct entry *a = &ours->data[i], *b = &theirs->data[j];
		int order = i == ours->count     ? 1
			    : j == theirs->count ? -1
						 : compare_entries(a, b);

		if (order == 0 && is_same(a, b)) {
			count(comparison, category, true);
			i++, j++;
		} else if (order <= 0) {
			tell(comparison, category, "the index", a);
			i++;
		} else {
			tell(comparison, category, "libdwarf", b);
			j++;
		}
	}
	vec_free(ours);
	vec_free(theirs);
}

static void compare_calls(struct comparison *comparison,
			  const struct index *index)
{
	const struct oracle *oracle = &comparison->oracle;
	struct entry_list ours = {0}, theirs = {0};

	for (size_t i = 0; i < index->scan_count; i++) {
		const struct scan *scan = &index->scans[i];

		for (size_t j = 0; j < scan->calls.count; j++) {
			const struct scan_call *call = &scan->calls.data[j];

			if (!call->address) /* no code is left */
				continue;

			vec_push(&ours,
				 (struct entry){
					 .name = scan->names.data[call->name],
					 .place = call->address});
		}
	}
	for (size_t i = 0; i < oracle->calls.count; i++)
		vec_push(
			&theirs,
			(struct entry){.name = oracle->calls.data[i].name,
				       .place = oracle->calls.data[i].address});
	compare_lists(comparison, CALLS, &ours, &theirs);
}

static void compare_types(struct comparison *comparison,
			  const struct index *index)
{
	const struct oracle *oracle = &comparison->oracle;
	struct entry_list ours = {0}, theirs = {0};

	for (size_t i = 0; i < index->scan_count; i++) {
		const struct scan *scan = &index->scans[i];

		for (size_t j = 0; j < scan->types.count; j++) {
			const struct scan_type *type = &scan->types.data[j];

			vec_push(&ours,
				 (struct entry){.place = type->die,
						.hash = type->hash,
						.flag = type->declaration});
		}
	}
	for (size_t i = 0; i < oracle->named_types.count; i++) {
		const struct oracle_named *type = &oracle->named_types.data[i];
		uint64_t hash = scan_hash(SCAN_HASH, type->name);

		vec_push(&theirs, (struct entry){.place = type->die,
						 .hash = scan_hash_end(hash),
						 .flag = type->flag});
	}
	compare_lists(comparison, TYPES, &ours, &theirs);
}

static void compare_variables(struct comparison *comparison,
			      const struct index *index)
{
	const struct oracle *oracle = &comparison->oracle;
	struct entry_list ours = {0}, theirs = {0};

	for (size_t i = 0; i < index->scan_count; i++) {
		const struct scan *scan = &index->scans[i];

		for (size_t j = 0; j < scan->variables.count; j++) {
			const struct scan_variable *variable =
				&scan->variables.data[j];

			vec_push(&ours,
				 (struct entry){.name = variable->name,
						.place = variable->die,
						.flag = variable->external});
		}
	}
	for (size_t i = 0; i < oracle->globals.count; i++) {
		const struct oracle_named *global = &oracle->globals.data[i];

		vec_push(&theirs, (struct entry){.name = global->name,
						 .place = global->die,
						 .flag = global->flag});
	}
	compare_lists(comparison, VARIABLES, &ours, &theirs);
}

static void compare(struct comparison *comparison)
{
	const struct index *index = file_index(comparison->file);

	compare_calls(comparison, index);
	compare_types(comparison, index);
	compare_variables(comparison, index);
}

static const struct subject subject = {
	.compare = compare,
	.categories =
		{
			[CALLS] = "calls",
			[TYPES] = "types",
			[VARIABLES] = "variables",
		},
	.least_c = {50, 50, 2},
	.least_c_plus_plus = {1, 1, 1},
	.least_stripped = {10, 20, 1},
	.least_self = {100, 1000, 10},
	.least_libc = {1000, 10000, 1000},
};

/* This program with its debug information changed by a command. */
static void compare_changed(const char *command, const char *name,
			    const totals least)
{
	char *path = sample_path(name);
	totals total = {0};

	free(output_of("cp /proc/%d/exe %s && %s %s 2>&1", (int)getpid(), path,
		       command, path));
	compare_file(&subject, command, path, path, total);
	check_totals(&subject, total, least);
	free(path);
}

/* Names are in units of their own: partial ones, and other files' are in no
 * file at all. */
static void test_index_of_dwz_file_agrees(void **state)
{
	(void)state;
	compare_changed("dwz", "dwz", (totals){100, 100, 10});
}

static void test_index_of_compressed_file_agrees(void **state)
{
	(void)state;
	compare_changed("objcopy --compress-debug-sections", "compressed",
			subject.least_self);
}

static void test_index_of_compressed_dwz_file_agrees(void **state)
{
	(void)state;
	compare_changed("sh -c 'dwz \"$0\" && "
			"objcopy --compress-debug-sections \"$0\"'",
			"dwz_compressed", (totals){100, 100, 10});
}

/* The oldest there is. (Of its enumerations libdwarf does not say whether they
 * are signed, so the other tests leave it out.) */
static void test_index_of_dwarf_2_agrees(void **state)
{
	static const char compiler[] = "gcc -O1 -w -gdwarf-2 -gstrict-dwarf";
	char *path = compile(compiler, "old", "c", c_source);
	totals total = {0};

	(void)state;
	compare_file(&subject, compiler, path, path, total);
	check_totals(&subject, total, (totals){10, 20, 1});
	free(path);
}

static const char other_source[] =
	"int total; static int kept;\n"
	"struct pair { int a, b; };\n"
	"int sum(const struct pair *p) { total += p->a; kept++;\n"
	"  return p->a + p->b + kept; }\n";

static const char whole_source[] =
	"struct pair { int a, b; };\n"
	"int sum(const struct pair *p);\n"
	"int main(int argc, char **argv)\n"
	"{ struct pair p = {argc, argv == 0}; return sum(&p); }\n";

/* Functions that were inlined into those of another unit. */
static void test_index_of_link_time_optimization_agrees(void **state)
{
	totals total = {0};
	char *path;

	(void)state;
	write_sample("other.c", other_source, strlen(other_source));
	path = compile("gcc -O2 -w -g -flto other.c", "whole", "c",
		       whole_source);
	compare_file(&subject, "gcc -O2 -flto", path, path, total);
	check_totals(&subject, total, (totals){1, 1, 1});
	free(path);
}

static const char *const kept_sources[] = {
	"volatile int last;\n"
	"static inline __attribute__((always_inline)) int twice(int a)\n"
	"{ last = a; return a * 2; }\n"
	"int outer(int a) { return twice(a) + twice(a + 3); }\n",
	"int outer(int a);\n"
	"int main(int argc, char **argv)\n"
	"{ return outer(argc) + (argv == 0); }\n",
};

/* How many units have bytes of their own. */
static size_t units_loaded(struct debugfile *file)
{
	const struct source *source = file->dwarf->main;
	size_t loaded = 0;

	for (size_t i = 0; i < source->units.count; i++)
		loaded += source->units.data[i]->owns_data;
	return loaded;
}

/* Units with calls of what is looked for are kept, and no others; what is said
 * of the calls is the same as if they were inflated again. */
static void test_only_units_with_calls_are_kept(void **state)
{
	struct line_list kept = {0}, again = {0};
	struct debugfile *file;
	char *path;

	(void)state;
	write_sample("outer.c", kept_sources[0], strlen(kept_sources[0]));
	path = compile("gcc -O1 -g -gz=zlib outer.c", "kept", "c",
		       kept_sources[1]);

	file = open_sample(path);
	debugfile_prepare_inlined(file, "twice");
	assert_int_equal(units_loaded(file), 1);
	assert_null(debugfile_find_inlined(file, "twice", &kept, NULL));
	assert_int_equal(units_loaded(file), 1);
	debugfile_close(file);

	file = open_sample(path);
	file_index(file);
	assert_int_equal(units_loaded(file), 0);
	assert_null(debugfile_find_inlined(file, "twice", &again, NULL));
	assert_int_equal(units_loaded(file), 1);

	assert_int_equal(kept.count, 2);
	assert_int_equal(again.count, kept.count);
	for (size_t i = 0; i < kept.count; i++) {
		assert_int_equal(kept.data[i].address, again.data[i].address);
		assert_int_equal(kept.data[i].line, again.data[i].line);
		assert_int_equal(kept.data[i].frame, again.data[i].frame);
	}
	debugfile_close(file);
	vec_free(&kept);
	vec_free(&again);
	free(path);
}

int main(void)
{
	struct subject all = subject;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(test_c, &all),
		cmocka_unit_test_prestate(test_c_plus_plus, &all),
		cmocka_unit_test_prestate(test_stripped, &all),
		cmocka_unit_test_prestate(test_self, &all),
		cmocka_unit_test_prestate(test_libc, &all),
		cmocka_unit_test(test_index_of_compressed_file_agrees),
		cmocka_unit_test(test_index_of_dwz_file_agrees),
		cmocka_unit_test(test_index_of_compressed_dwz_file_agrees),
		cmocka_unit_test(test_index_of_dwarf_2_agrees),
		cmocka_unit_test(test_index_of_link_time_optimization_agrees),
		cmocka_unit_test(test_only_units_with_calls_are_kept),
	};

	return cmocka_run_group_tests(tests, samples_setup, samples_teardown);
}
