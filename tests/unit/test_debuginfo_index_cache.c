/*
 * test_debuginfo_index_cache.c - files that keep the index of a file
 *
 * Answers are the same without such a file, while it is made, and from it,
 * whatever has happened to it.
 *
 * tier: core full
 * covers: debuginfo/index
 */
#include "debuginfo_samples.h"

#include <dirent.h>
#include <sys/resource.h>

#include "debuginfo/dwarf/dwarf.h"
#include "debuginfo/index/cache_file.h"
#include "debuginfo/index/index.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debugtype.h"
#include "sampling.h"

enum { NAMES = 300, COPIES = 60 };

/* The sample, with its debug information compressed, and what is true of it. */
static char *packed, *answers;
static char *folder;

/* ---- the sample ---------------------------------------------------------- */

/* A source with NAMES types, variables, functions, and inlined functions. */
static char *make_source(void)
{
	struct str text = {0};

	for (int i = 0; i < NAMES; i++)
		str_printf(&text,
			   "struct type%d { int first, second; struct type%d "
			   "*next; };\n"
			   "static volatile int variable%d = %d;\n"
			   "static inline __attribute__((always_inline)) int "
			   "inlined%d(struct type%d *p)\n"
			   "{ int sum = p->first + variable%d; "
			   "return sum * %d + p->second; }\n"
			   "__attribute__((used)) static int function%d(struct "
			   "type%d *p)\n"
			   "{ return inlined%d(p) + inlined%d(p->next); }\n",
			   i, i, i, i, i, i, i, i, i, i, i, i);
	return str_take(&text);
}

/* A library of COPIES units of the same source: more than 4 MB of .debug_info,
 * so that the inflater leaves marks. */
static int make_sample(void **state)
{
	char *source, *object;

	if (samples_setup(state))
		return -1;
	source = make_source();
	object = compile("gcc -g -O1 -fPIC -w -c", "unit.o", "c", source);
	packed = sample_path("packed.so");
	free(output_of("cd %s && gcc -shared -Wl,--build-id $(yes unit.o | "
		       "head -n %d) -o plain.so && objcopy "
		       "--compress-debug-sections=zlib plain.so packed.so",
		       sample_directory, COPIES));
	folder = sample_path("cache/perftool");
	free(source);
	free(object);
	return 0;
}

static int remove_sample(void **state)
{
	free(packed);
	free(answers);
	free(folder);
	return samples_teardown(state);
}

/* ---- questions ----------------------------------------------------------- */

static void ask_inlined(struct debugfile *file, int number, struct str *out)
{
	char *name = xasprintf("inlined%d", number);
	struct line_list found = {0};

	assert_null(debugfile_find_inlined(file, name, &found, NULL));
	for (size_t i = 0; i < found.count; i++)
		str_printf(out, "%s %#lx %s:%u %u\n", name,
			   found.data[i].address, found.data[i].file,
			   found.data[i].line, found.data[i].frame);
	vec_free(&found);
	free(name);
}

static void ask_type(struct debugfile *file, uint64_t address, int number,
		     struct str *out)
{
	char *name = xasprintf("struct type%d", number);
	struct debugtype *type = debugfile_find_type(file, address, name);

	assert_non_null(type);
	str_printf(out, "%s %s %lu\n", name, debugtype_name(type),
		   debugtype_size(type));
	free(name);
}

static void ask_variable(struct debugfile *file, uint64_t address, int number,
			 struct str *out)
{
	char *name = xasprintf("variable%d", number);
	struct variable *variable = NULL;
	struct error *error =
		debugfile_find_variable(file, address, false, name, &variable);

	assert_null(error);
	str_printf(out, "%s %s\n", name,
		   debugtype_name(variable_debugtype(variable)));
	variable_destroy(variable);
	free(name);
}

static void ask_lines(struct debugfile *file, uint32_t line, struct str *out)
{
	struct line_list found = {0};

	assert_null(debugfile_find_line(file, "unit.o.c", line, &found));
	for (size_t i = 0; i < found.count; i++)
		str_printf(out, "%#lx:%u ", found.data[i].address,
			   found.data[i].line);
	str_append(out, "\n");
	vec_free(&found);
}

/* Everything that is asked of a file. The order of the questions is one in
 * which all parts of the index are needed at once, or, if `units_first`, one in
 * which only the units are. */
static char *ask_all(const char *path, const char *cache, bool units_first)
{
	struct debugfile *file = open_sample(path);
	struct str out = {0}, lines = {0};
	struct function_list functions = {0};
	uint64_t address;

	debugfile_cache_index(file, cache, 0);
	assert_null(debugfile_find_functions(file, "function7", &functions));
	assert_true(functions.count > COPIES / 2);
	address = functions.data[COPIES / 2].address;
	for (uint32_t line = 1; units_first && line < 100; line++)
		ask_lines(file, line, &lines);
	for (int i = 0; i < NAMES; i += 3) {
		ask_inlined(file, i, &out);
		ask_type(file, address, i, &out);
		ask_variable(file, address, i, &out);
	}
	for (uint32_t line = 1; !units_first && line < 100; line++)
		ask_lines(file, line, &lines);
	assert_null(debugfile_check(file));
	vec_free(&functions);
	debugfile_close(file);
	str_append(&out, str_text(&lines));
	str_deinit(&lines);
	return str_take(&out);
}

/* One question; the answer must be right. */
static void ask_one(const char *path, const char *cache)
{
	struct debugfile *file = open_sample(path);
	struct str out = {0};
	const char *found;

	debugfile_cache_index(file, cache, 0);
	ask_inlined(file, 3, &out);
	found = strstr(answers, str_text(&out));
	assert_true(out.length > 0 && found);
	debugfile_close(file);
	str_deinit(&out);
}

/* ---- the folder ---------------------------------------------------------- */

static void empty_folder(void)
{
	free(output_of("rm -rf %s/cache", sample_directory));
	free(output_of("mkdir %s/cache", sample_directory));
}

/* The number of files, of which `*kept` are complete, and the name of the last
 * complete one. */
static size_t count_files(size_t *kept, char **last)
{
	DIR *directory = opendir(folder);
	struct dirent *entry;
	size_t count = 0;

	*kept = 0;
	while (directory && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		count++;
		if (!strstr(entry->d_name, CACHE_SUFFIX) ||
		    strstr(entry->d_name, CACHE_NEW_SUFFIX))
			continue;
		++*kept;
		if (last) {
			free(*last);
			*last = xasprintf("%s/%s", folder, entry->d_name);
		}
	}
	if (directory)
		closedir(directory);
	return count;
}

/* The only file, which must be complete, and the only one of the folder. */
static char *only_file(void)
{
	char *path = NULL;
	size_t kept;

	assert_int_equal(count_files(&kept, &path), 1);
	assert_int_equal(kept, 1);
	return path;
}

static ino_t file_number(const char *path)
{
	struct stat found;

	assert_int_equal(stat(path, &found), 0);
	return found.st_ino;
}

static void fill_folder(void)
{
	empty_folder();
	ask_one(packed, folder);
}

/* Put other contents in place of the file's; the file must not be used, and
 * must be written again. */
static void check_ignored(const char *path, const uint8_t *bytes, size_t size)
{
	FILE *file = fopen(path, "w");
	ino_t before;

	assert_non_null(file);
	before = file_number(path);
	/* keeps the number from being used again */
	free(output_of("ln -f %s %s/held", path, sample_directory));
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
	ask_one(packed, folder);
	if (file_number(path) == before)
		fail_msg("a broken file was used");
	free(only_file());
}

/* Can the folder's file be used? It is not written again then. */
static void check_used(const char *path)
{
	ino_t before = file_number(path);

	ask_one(packed, folder);
	assert_int_equal(file_number(path), before);
}

/* ---- tests --------------------------------------------------------------- */

static void test_answers_are_the_same(void **state)
{
	static const char *const names[] = {"packed.so", "plain.so"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char *path = sample_path(names[i]);
		char *without = ask_all(path, NULL, false);
		char *making, *from, *from_units, *file;
		ino_t number;

		assert_true(strlen(without) > 10000);
		empty_folder();
		making = ask_all(path, folder, false);
		file = only_file();
		number = file_number(file);
		from = ask_all(path, folder, false);
		from_units = ask_all(path, folder, true);
		assert_int_equal(file_number(file), number);
		assert_string_equal(without, making);
		assert_string_equal(without, from);
		assert_string_equal(without, from_units);
		free(answers);
		answers = without;
		free(making);
		free(from);
		free(from_units);
		free(file);
		free(path);
	}
}

static void test_units_and_marks_are_kept(void **state)
{
	struct debugfile *file;
	struct packed_mark mark;
	struct dwarf *dwarf;

	(void)state;
	fill_folder();
	file = open_sample(packed);
	debugfile_cache_index(file, folder, 0);
	dwarf = file_dwarf(file);
	assert_int_equal(dwarf->main->units.count, 0);
	assert_non_null(source_unit(dwarf->main, dwarf->main->info_size - 1));
	assert_true(dwarf->main->recalled);
	assert_int_equal(dwarf->main->units.count, COPIES);
	assert_int_equal(packed_place(dwarf->main->packed), 0);
	assert_true(packed_get_mark(dwarf->main->packed, 1, &mark));
	debugfile_close(file);
}

/* Change a byte of each member of the head, and bytes all over the parts. */
static void test_changed_bytes_are_noticed(void **state)
{
	size_t size, step;
	uint8_t *bytes;
	char *path;

	(void)state;
	fill_folder();
	path = only_file();
	bytes = read_whole(path, &size);
	assert_true(size > sizeof(struct cache_head));
	step = (size - sizeof(struct cache_head)) / sampled(40, 6);
	for (size_t at = 0; at < size;
	     at += at < sizeof(struct cache_head) ? 8 : step) {
		bytes[at] ^= 0x10;
		/* Of the head, the place of the part that is not asked for
		 * first would be noticed later; so all of it is asked for. */
		check_ignored(path, bytes, size);
		bytes[at] ^= 0x10;
	}
	check_ignored(path, bytes, size - 1);
	check_ignored(path, bytes, size / 2);
	check_ignored(path, bytes, sizeof(struct cache_head));
	check_ignored(path, bytes, sizeof(struct cache_head) - 1);
	check_ignored(path, bytes, 0);
	free(bytes);
	free(path);
}

/* Write a file with these parts, with the right checksums. */
static void write_parts(const struct cache_key *key,
			const struct bytes parts[CACHE_PARTS])
{
	struct cache_writer *writer = xmalloc(sizeof(*writer));

	assert_true(cache_writer_begin(writer, folder, key));
	for (enum cache_part part = 0; part < CACHE_PARTS; part++) {
		cache_write(writer, parts[part].data, parts[part].size);
		cache_part_end(writer, part);
	}
	cache_writer_end(writer, true);
	free(writer);
}

/* Ask everything of a file that may make no sense. */
static void survive(void)
{
	struct debugfile *file = open_sample(packed);
	struct line_list lines = {0};
	struct variable *variable = NULL;

	debugfile_cache_index(file, folder, 0);
	error_destroy(debugfile_find_inlined(file, "inlined*", &lines, NULL));
	debugfile_find_type(file, 0, "struct type5");
	error_destroy(debugfile_find_variable(file, 0, false, "variable8",
					      &variable));
	variable_destroy(variable);
	vec_free(&lines);
	debugfile_close(file);
}

/* Numbers that no writer writes, but with right checksums, crash nothing. The
 * states of the inflater are left alone: only their checksum protects them. */
static void test_nonsense_is_survived(void **state)
{
	struct bytes parts[CACHE_PARTS];
	struct debugfile *file;
	struct cache_key key;
	size_t units;

	(void)state;
	fill_folder();
	file = open_sample(packed);
	assert_true(cache_key_init(&key, file));
	debugfile_close(file);
	for (enum cache_part part = 0; part < CACHE_PARTS; part++)
		assert_true(cache_read(folder, &key, part, &parts[part]));
	/* The table of units is the first of its part. */
	units = COPIES * 160;
	srandom(1);
	for (int round = 0; round < (int)sampled(120, 12); round++) {
		enum cache_part part = (enum cache_part)(round % CACHE_PARTS);
		size_t size = parts[part].size;
		size_t at =
			(size_t)random() % (part == CACHE_UNITS ? units : size);
		uint8_t *byte =
			(uint8_t *)parts[part].data +
			(round % 10 < 2 ? size - 32 + (size_t)round % 8 : at);
		uint8_t before = *byte;

		*byte = (uint8_t)random();
		write_parts(&key, parts);
		survive();
		*byte = before;
	}
	for (enum cache_part part = 0; part < CACHE_PARTS; part++)
		free((void *)parts[part].data);
}

/* A file is used for its own build only. */
static void test_other_build_is_noticed(void **state)
{
	char *path, *other, *id;

	(void)state;
	fill_folder();
	path = only_file();
	/* the same build id, but not the same file */
	free(output_of("cd %s && cp packed.so again.so && touch -d yesterday "
		       "again.so",
		       sample_directory));
	other = sample_path("again.so");
	free(output_of("ln -f %s %s/held", path, sample_directory));
	ask_one(other, folder);
	assert_int_not_equal(file_number(path), 0);
	free(only_file());
	free(other);
	/* another build id */
	free(output_of("cd %s && gcc -shared -Wl,--build-id=0x0123456789abcdef "
		       "$(yes unit.o | head -n %d) -o other.so",
		       sample_directory, COPIES));
	other = sample_path("other.so");
	id = xasprintf("%s/0123456789abcdef" CACHE_SUFFIX, folder);
	assert_int_equal(rename(path, id), 0);
	free(output_of("ln -f %s %s/held", id, sample_directory));
	ask_one(other, folder);
	free(path);
	path = only_file();
	assert_string_equal(path, id);
	free(path);
	free(id);
	free(other);
}

static void test_nothing_is_kept(void **state)
{
	char *path = sample_path("nameless.so");
	struct debugfile *file;
	struct str out = {0};
	size_t kept;

	(void)state;
	empty_folder();
	ask_one(packed, NULL);
	/* no build id */
	free(output_of("cd %s && objcopy -R .note.gnu.build-id packed.so "
		       "nameless.so",
		       sample_directory));
	ask_one(path, folder);
	/* less debug information than is kept */
	file = open_sample(packed);
	debugfile_cache_index(file, folder, UINT64_C(16) << 20);
	ask_inlined(file, 3, &out);
	debugfile_close(file);
	assert_int_equal(count_files(&kept, NULL), 0);
	str_deinit(&out);
	free(path);
}

/* Files that others can write, links, and pipes are not used. */
static void test_files_of_others_are_ignored(void **state)
{
	char *path;
	ino_t number;

	(void)state;
	fill_folder();
	path = only_file();
	check_used(path);
	number = file_number(path);
	free(output_of("ln -f %s %s/held && chmod o+w %s", path,
		       sample_directory, path));
	ask_one(packed, folder);
	assert_int_not_equal(file_number(path), number);
	check_used(path);
	free(output_of("mv %s %s/held && ln -s ../../held %s", path,
		       sample_directory, path));
	ask_one(packed, folder);
	free(output_of("test -f %s -a ! -L %s", path, path));
	free(output_of("rm %s && mkfifo %s", path, path));
	ask_one(packed, folder);
	free(output_of("test -f %s", path));
	free(output_of("rm %s && mkdir %s", path, path));
	ask_one(packed, folder);
	free(output_of("rmdir %s", path));
	/* a folder in which others can write */
	free(output_of("chmod o+w %s", folder));
	ask_one(packed, folder);
	assert_int_equal(access(path, F_OK), -1);
	free(path);
}

/* Run `ask_one` in another process, after `prepare`. */
static pid_t start_asking(void (*prepare)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		/* What fails must end this process, not go on in it. */
		setenv("CMOCKA_TEST_ABORT", "1", 1);
		if (prepare)
			prepare();
		ask_one(packed, folder);
		_exit(0);
	}
	assert_true(pid > 0);
	return pid;
}

static void finish_asking(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_writers_at_once(void **state)
{
	enum { WRITERS = 4 };
	pid_t pids[WRITERS];
	char *path;

	(void)state;
	empty_folder();
	for (int i = 0; i < WRITERS; i++)
		pids[i] = start_asking(NULL);
	for (int i = 0; i < WRITERS; i++)
		finish_asking(pids[i]);
	path = only_file();
	check_used(path);
	free(path);
}

/* Files may have only 64 KB, as if the disk were full. */
static void fill_disk(void)
{
	const struct rlimit limit = {65536, 65536};

	setrlimit(RLIMIT_FSIZE, &limit);
}

static void test_full_disk(void **state)
{
	size_t kept;

	(void)state;
	empty_folder();
	finish_asking(start_asking(fill_disk));
	assert_int_equal(count_files(&kept, NULL), 0);
}

/* Not root, who may write anywhere. */
static void become_nobody(void)
{
	if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
		_exit(1);
}

static void test_read_only_folder(void **state)
{
	size_t kept;

	(void)state;
	empty_folder();
	free(output_of("chmod 755 %s && mkdir %s", sample_directory, folder));
	/* a folder of root, who is another user, or the user's own */
	free(output_of("chmod 555 %s", folder));
	finish_asking(start_asking(become_nobody));
	assert_int_equal(count_files(&kept, NULL), 0);
	if (geteuid() == 0) {
		free(output_of("chown 65534 %s", folder));
		finish_asking(start_asking(become_nobody));
		assert_int_equal(count_files(&kept, NULL), 0);
		/* root does not use what is another user's */
		free(output_of("chmod 755 %s", folder));
		ask_one(packed, folder);
		assert_int_equal(count_files(&kept, NULL), 0);
		finish_asking(start_asking(become_nobody));
		free(only_file());
		/* nor makes folders in the home of another user */
		free(output_of("rm -r %s && chown 65534 %s/cache", folder,
			       sample_directory));
		ask_one(packed, folder);
		assert_int_equal(access(folder, F_OK), -1);
	}
}

static void test_folder_is_bounded(void **state)
{
	char *path;
	size_t kept;

	(void)state;
	empty_folder();
	/* Each file is older than the one before it. */
	free(output_of(
		"mkdir -m 700 %s && cd %s || exit 1; for i in $(seq 10 99); do "
		"touch -d \"$i days ago\" ${i}00000000000000.index; "
		"done; touch -d yesterday 1234.5.0.new; touch "
		"1234.6.0.new other",
		folder, folder));
	ask_one(packed, folder);
	assert_int_equal(count_files(&kept, NULL), CACHE_MOST_FILES + 2);
	assert_int_equal(kept, CACHE_MOST_FILES);
	free(output_of("cd %s && test -f 1000000000000000.index -a -f "
		       "7200000000000000.index -a ! -f 7300000000000000.index "
		       "-a ! -f 1234.5.0.new -a -f 1234.6.0.new -a -f other",
		       folder));
	empty_folder();
	free(output_of(
		"mkdir -m 700 %s && cd %s || exit 1; for i in 1 2 3 4 5 6; do "
		"truncate -s 60M ${i}000000000000000.index; touch -d "
		"\"$i days ago\" ${i}000000000000000.index; done",
		folder, folder));
	ask_one(packed, folder);
	free(output_of("cd %s && test -f 1000000000000000.index -a -f "
		       "3000000000000000.index -a ! -f 5000000000000000.index",
		       folder));
	path = output_of("cd %s && du --apparent-size -sb . | cut -f1", folder);
	assert_true(strtoull(path, NULL, 10) <= CACHE_MOST_BYTES + 8192);
	free(path);
}

static void test_folder_of_environment(void **state)
{
	char *path;

	(void)state;
	setenv("HOME", "/home/user", 1);
	setenv("XDG_CACHE_HOME", "/var/cache/user", 1);
	path = debuginfo_cache_folder();
	assert_string_equal(path, "/var/cache/user/perftool");
	free(path);
	setenv("XDG_CACHE_HOME", "relative", 1);
	path = debuginfo_cache_folder();
	assert_string_equal(path, "/home/user/.cache/perftool");
	free(path);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	assert_null(debuginfo_cache_folder());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers_are_the_same),
		cmocka_unit_test(test_units_and_marks_are_kept),
		cmocka_unit_test(test_changed_bytes_are_noticed),
		cmocka_unit_test(test_nonsense_is_survived),
		cmocka_unit_test(test_other_build_is_noticed),
		cmocka_unit_test(test_nothing_is_kept),
		cmocka_unit_test(test_files_of_others_are_ignored),
		cmocka_unit_test(test_writers_at_once),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_read_only_folder),
		cmocka_unit_test(test_folder_is_bounded),
		cmocka_unit_test(test_folder_of_environment),
	};

	return cmocka_run_group_tests(tests, make_sample, remove_sample);
}
