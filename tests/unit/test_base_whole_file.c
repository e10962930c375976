/*
 * test_base_whole_file.c - a file that is written as a whole or not at all
 *
 * tier: core
 * covers: base
 */
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "golden.h"
#include "perftool/base/utf8.h"
#include "perftool/base/whole_file.h"

static const struct writer plain;
static char folder[64], path[128];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/perftool-whole-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/file", folder);
	return 0;
}

/* The number of files in the folder, hidden ones too. */
static size_t files(void)
{
	char pattern[160];
	glob_t found;
	size_t count;

	snprintf(pattern, sizeof(pattern), "%s/*", folder);
	glob(pattern, GLOB_PERIOD, NULL, &found);
	count = found.gl_pathc;
	globfree(&found);
	return count - 2; /* . and .. */
}

static int remove_folder(void **state)
{
	char command[160];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static void put_file(const char *text)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void check_file(const char *wanted)
{
	char *text = golden_read(path);

	assert_string_equal(text, wanted);
	free(text);
}

static void a_file_has_its_name_at_the_end(void **state)
{
	struct whole_file file;

	(void)state;
	put_file("old");
	assert_int_equal(chmod(path, 0640), 0);
	assert_null(whole_file_begin(&file, &plain, path));
	assert_null(whole_file_write(&file, "ne", 2));
	check_file("old");
	assert_null(whole_file_write(&file, "w", 1));
	assert_null(whole_file_finish(&file));
	check_file("new");
	assert_int_equal(files(), 1);
}

/* Also if root replaces the file of a user. Who is not root owns both files. */
static void the_owner_of_an_old_file_is_kept(void **state)
{
	const uid_t other = geteuid() == 0 ? 12345 : geteuid();
	struct whole_file file;
	struct stat status;

	(void)state;
	put_file("old");
	assert_int_equal(chown(path, other, (gid_t)-1), 0);
	assert_null(whole_file_begin(&file, &plain, path));
	assert_null(whole_file_finish(&file));
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_uid, other);
	assert_int_equal(files(), 1);
	unlink(path);
}

static void the_mode_of_an_old_file_is_kept(void **state)
{
	struct whole_file file;
	struct stat status;
	mode_t mask = umask(027);

	(void)state;
	put_file("old");
	assert_int_equal(chmod(path, 0604), 0);
	assert_null(whole_file_begin(&file, &plain, path));
	assert_null(whole_file_finish(&file));
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0604);
	unlink(path);
	assert_null(whole_file_begin(&file, &plain, path));
	assert_null(whole_file_finish(&file));
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0640);
	umask(mask);
}

static void what_is_given_up_leaves_the_old_file(void **state)
{
	struct whole_file file;

	(void)state;
	put_file("old");
	assert_null(whole_file_begin(&file, &plain, path));
	assert_null(whole_file_write(&file, "new", 3));
	whole_file_give_up(&file);
	whole_file_give_up(&file);
	check_file("old");
	assert_int_equal(files(), 1);
}

/* The limit of a file's size stands for a full disk. */
static void a_full_disk_leaves_the_old_file(void **state)
{
	struct rlimit old, limit;
	struct whole_file file;
	struct error *error;
	char block[8192];

	(void)state;
	memset(block, 'x', sizeof(block));
	put_file("old");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = (struct rlimit){.rlim_cur = 10000, .rlim_max = old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_null(whole_file_begin(&file, &plain, path));
	assert_null(whole_file_write(&file, block, sizeof(block)));
	error = whole_file_write(&file, block, sizeof(block));
	setrlimit(RLIMIT_FSIZE, &old);
	assert_non_null(error);
	assert_non_null(strstr(error_message(error), path));
	assert_non_null(strstr(error_message(error), "File too large"));
	error_destroy(error);
	whole_file_give_up(&file);
	check_file("old");
	assert_int_equal(files(), 1);
}

static void a_link_is_followed(void **state)
{
	char link[160];
	struct whole_file file;
	struct stat status;

	(void)state;
	put_file("old");
	snprintf(link, sizeof(link), "%s/link", folder);
	assert_int_equal(symlink("file", link), 0);
	assert_null(whole_file_begin(&file, &plain, link));
	assert_null(whole_file_write(&file, "new", 3));
	assert_null(whole_file_finish(&file));
	assert_int_equal(lstat(link, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	check_file("new");
	/* a link to a file that does not exist makes that file */
	unlink(path);
	assert_null(whole_file_begin(&file, &plain, link));
	assert_null(whole_file_write(&file, "more", 4));
	assert_null(whole_file_finish(&file));
	check_file("more");
}

static void a_device_is_written_directly(void **state)
{
	struct whole_file file;
	struct error *error;

	(void)state;
	assert_null(whole_file_begin(&file, &plain, "/dev/full"));
	error = whole_file_write(&file, "x", 1);
	assert_non_null(error);
	assert_non_null(strstr(error_message(error), "No space left"));
	error_destroy(error);
	whole_file_give_up(&file);
	assert_int_equal(access("/dev/full", F_OK), 0);
}

static void errors_name_the_file(void **state)
{
	struct whole_file file;
	struct error *error;
	char deep[200];

	(void)state;
	snprintf(deep, sizeof(deep), "%s/none/file", folder);
	error = whole_file_begin(&file, &plain, deep);
	assert_non_null(error);
	assert_non_null(strstr(error_message(error), deep));
	assert_non_null(strstr(error_message(error), "No such file"));
	error_destroy(error);
	error = whole_file_begin(&file, &plain, folder);
	assert_non_null(error);
	error_destroy(error);
	assert_int_equal(files(), 0);
}

static bool interrupted(void *context)
{
	(void)context;
	return true;
}

static void an_interrupt_writes_nothing(void **state)
{
	const struct writer writer = {.interrupted = interrupted};
	struct whole_file file;
	struct error *error;

	(void)state;
	error = whole_file_begin(&file, &writer, path);
	assert_non_null(error);
	assert_int_equal(error_code(error), ERROR_INTERRUPTED);
	error_destroy(error);
	assert_int_equal(files(), 0);
}

static void utf8_is_told_from_other_bytes(void **state)
{
	static const struct {
		const char *text;
		size_t length;
		uint32_t code;
	} cases[] = {
		{"a", 1, 'a'},
		{"\xc3\xa9", 2, 0xe9},
		{"\xe2\x82\xac", 3, 0x20ac},
		{"\xf0\x9f\x98\x80", 4, 0x1f600},
		{"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
		{"\xc0\x80", 0, 0},
		{"\xc1\xbf", 0, 0},
		{"\xe0\x9f\xbf", 0, 0},
		{"\xed\xa0\x80", 0, 0},
		{"\xf4\x90\x80\x80", 0, 0},
		{"\x80", 0, 0},
		{"\xc3", 0, 0},
		{"\xe2\x82", 0, 0},
		{"\xff", 0, 0},
	};
	struct str out = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t code = 0;

		assert_int_equal(utf8_sequence(cases[i].text, &code),
				 cases[i].length);
		assert_int_equal(code, cases[i].code);
	}
	utf8_append("a\xff\xc3\xa9\xe2\x82z", &out);
	assert_string_equal(str_text(&out),
			    "a" UTF8_REPLACEMENT
			    "\xc3\xa9" UTF8_REPLACEMENT UTF8_REPLACEMENT "z");
	str_deinit(&out);
}

static void terminals_get_no_orders(void **state)
{
	static const struct {
		const char *text, *kept, *wanted;
	} cases[] = {
		{"\033]0;title\007", "", ":?]0;title?:"},
		{"\302\2332J\177", "", ":?2J?:"},
		{"a\xe2\x80\xaez\xe2\x81\xa6\xd8\x9c", "", ":a?z??:"},
		{"one\ntwo\tthree\r", "\n\t", ":one\ntwo\tthree?:"},
		/* Latin-1 stays, apart from its control characters. */
		{"\xe9\x9b", "", ":\xe9?:"},
		{"\xc3\xa9\xe2\x82\xac", "", ":\xc3\xa9\xe2\x82\xac:"},
		{"", "", "::"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct str out = {0};

		str_append_char(&out, ':');
		utf8_append_harmless(cases[i].text, strlen(cases[i].text),
				     cases[i].kept, &out);
		str_append_char(&out, ':');
		assert_string_equal(str_text(&out), cases[i].wanted);
		str_deinit(&out);
	}
}

/* A text need not be terminated, and may have null bytes. */
static void texts_are_read_by_their_length(void **state)
{
	struct str out = {0};

	(void)state;
	utf8_append_harmless("a\xe2\x80\xae", 3, "", &out);
	utf8_append_harmless("b\0c", 3, "\n", &out);
	assert_string_equal(str_text(&out), "a\xe2?b?c");
	str_deinit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_has_its_name_at_the_end,
						make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			the_owner_of_an_old_file_is_kept, make_folder,
			remove_folder),
		cmocka_unit_test_setup_teardown(the_mode_of_an_old_file_is_kept,
						make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			what_is_given_up_leaves_the_old_file, make_folder,
			remove_folder),
		cmocka_unit_test_setup_teardown(a_full_disk_leaves_the_old_file,
						make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(a_link_is_followed, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(a_device_is_written_directly,
						make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(errors_name_the_file,
						make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(an_interrupt_writes_nothing,
						make_folder, remove_folder),
		cmocka_unit_test(utf8_is_told_from_other_bytes),
		cmocka_unit_test(terminals_get_no_orders),
		cmocka_unit_test(texts_are_read_by_their_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
