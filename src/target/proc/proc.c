/*
 * proc.c - reads what /proc shows of processes and threads; see proc.h
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/search.h"
#include "perftool/base/str.h"
#include "perftool/target.h"
#include "perftool/target/memory_maps.h"
#include "perftool/target/process_status.h"
#include "proc.h"

/* Return the errno value that says why no more can be read from the file. A
 * file of a process that has ended may be empty without an error. */
static int read_failure(FILE *file)
{
	return ferror(file) ? errno : ESRCH;
}

struct error *proc_error(int failure, pid_t pid, const char *path)
{
	if (failure == ENOENT || failure == ESRCH)
		return error_create(ERROR_GONE, "process %d is gone", pid);
	return error_system(failure, "%s", path);
}

struct error *target_read_limit(pid_t pid, const char *name, uint64_t *soft)
{
	char path[64], line[256];
	bool is_found = false;
	int failure;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/limits", pid);
	file = fopen(path, "re");
	if (!file)
		return proc_error(errno, pid, path);
	while (!is_found && fgets(line, sizeof(line), file)) {
		const char *value = line + strlen(name);

		is_found = str_starts(line, name);
		if (!is_found)
			continue;
		value += strspn(value, " ");
		*soft = str_starts(value, "unlimited")
				? UINT64_MAX
				: strtoull(value, NULL, 10);
	}
	failure = read_failure(file);
	fclose(file);
	return is_found ? NULL : proc_error(failure, pid, path);
}

pid_t proc_tgid(pid_t tid)
{
	struct proc_status status;

	return proc_status(tid, tid, &status) ? status.pid : 0;
}

/* Parse the numbers of the line NSpid. `*inner` becomes the last number.
 * Returns how many numbers there are. */
static unsigned parse_namespaces(const char *text, pid_t *inner)
{
	unsigned count = 0;
	int number, used;

	while (sscanf(text, "%d%n", &number, &used) == 1) {
		*inner = number;
		text += used;
		count++;
	}
	return count;
}

/* The lines of /proc/PID/status that consist of numbers. The file has about
 * sixty lines, and the tool reads it at hits, so sscanf(3) would be too
 * slow. */
#define FIELD(name, member, count, base)                                       \
	{                                                                      \
		name ":", sizeof(name ":") - 1,                                \
			offsetof(struct proc_status, member),                  \
			sizeof(((struct proc_status *)0)->member) / (count),   \
			count, base                                            \
	}

static const struct field {
	const char *name;
	size_t length, offset, size, count;
	int base;
} status_fields[] = {
	FIELD("Tgid", pid, 1, 10),
	FIELD("PPid", parent, 1, 10),
	FIELD("TracerPid", tracer, 1, 10),
	FIELD("Uid", uid, 3, 10),
	FIELD("Gid", gid, 3, 10),
	FIELD("Threads", threads, 1, 10),
	FIELD("SigPnd", pending, 1, 16),
	FIELD("ShdPnd", shared_pending, 1, 16),
	FIELD("SigBlk", blocked, 1, 16),
	FIELD("SigIgn", ignored, 1, 16),
	FIELD("SigCgt", caught, 1, 16),
	FIELD("CapPrm", permitted, 1, 16),
	FIELD("CapEff", effective, 1, 16),
	FIELD("CapBnd", bounding, 1, 16),
	FIELD("NoNewPrivs", no_new_privs, 1, 10),
	FIELD("Seccomp", seccomp, 1, 10),
	FIELD("Seccomp_filters", filters, 1, 10),
};

static void parse_numbers(const char *text, const struct field *field,
			  struct proc_status *out)
{
	char *to = (char *)out + field->offset, *end;

	for (size_t i = 0; i < field->count; i++, to += field->size) {
		uint64_t number = strtoull(text, &end, field->base);

		if (end == text)
			return;
		/* x86-64 is little-endian, so the low bytes come first */
		memcpy(to, &number, field->size);
		text = end;
	}
}

static void parse_features(const char *line, struct proc_status *out)
{
	out->tells_features = true;
	out->shadow_stack = strstr(line, "shstk") != NULL;
}

static void parse_line(const char *line, struct proc_status *out)
{
	for (size_t i = 0; i < sizeof(status_fields) / sizeof(status_fields[0]);
	     i++) {
		const struct field *field = &status_fields[i];

		if (line[0] == field->name[0] &&
		    strncmp(line, field->name, field->length) == 0) {
			parse_numbers(line + field->length, field, out);
			return;
		}
	}
	if (str_starts(line, "Name:"))
		sscanf(line, "Name: %63[^\n]", out->name);
	else if (str_starts(line, "State:"))
		sscanf(line, "State: %c", &out->state);
	else if (str_starts(line, "x86_Thread_features:"))
		parse_features(line, out);
	else if (str_starts(line, "NSpid:"))
		out->depth =
			parse_namespaces(line + strlen("NSpid:"), &out->inner);
}

void proc_parse_status(FILE *file, struct proc_status *out)
{
	char line[512];

	*out = (struct proc_status){0};
	while (fgets(line, sizeof(line), file))
		parse_line(line, out);
}

bool proc_status(pid_t pid, pid_t tid, struct proc_status *out)
{
	char path[64];
	int failure;
	FILE *file;

	if (pid)
		snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid,
			 tid);
	else
		snprintf(path, sizeof(path), "/proc/thread-self/status");
	file = fopen(path, "re");
	if (!file)
		return false;
	proc_parse_status(file, out);
	failure = read_failure(file);
	fclose(file);
	errno = failure;
	/* the process may have ended while the file was read */
	return out->pid != 0;
}

bool target_read_status(pid_t pid, struct proc_status *out)
{
	return proc_status(pid, pid, out);
}

const char *proc_label(pid_t pid, char *buffer, size_t size)
{
	struct proc_status status;

	if (proc_status(pid, pid, &status))
		snprintf(buffer, size, "%d (%s)", pid, status.name);
	else
		snprintf(buffer, size, "%d", pid);
	return buffer;
}

void proc_path(pid_t pid, const char *name, char *buffer, size_t size)
{
	struct proc_stat stat;
	struct dirent *entry;
	pid_t alive = pid;
	DIR *directory;

	if (proc_stat(pid, pid, &stat) && stat.state == 'Z') {
		snprintf(buffer, size, "/proc/%d/task", pid);
		directory = opendir(buffer);
		while (directory && alive == pid &&
		       (entry = readdir(directory))) {
			pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

			if (tid > 0 && proc_stat(pid, tid, &stat) &&
			    stat.state != 'Z')
				alive = tid;
		}
		if (directory)
			closedir(directory);
	}
	snprintf(buffer, size, "/proc/%d/task/%d/%s", pid, alive, name);
}

int proc_open_stat(pid_t pid, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

#define STAT_SIZE 1024

/* Read a stat file, and return its fields from the third one (the state) on.
 * NULL: the thread has ended. */
static const char *read_stat(int stat, char text[STAT_SIZE])
{
	ssize_t length = pread(stat, text, STAT_SIZE - 1, 0);
	const char *end;

	if (length <= 0)
		return NULL;
	text[length] = '\0';
	/* The name of the thread may contain any character, also a parenthesis.
	 * So the last parenthesis is the one after the name. */
	end = strrchr(text, ')');
	return end && end[1] ? end + 2 : NULL;
}

/* Return the number in a field of a stat file. `number` is the field's number
 * in proc(5). `at` points to the third field, as read_stat() returns it, and
 * may be NULL. The result is 0 if there is no such field. */
static uint64_t field_at(const char *at, unsigned number)
{
	while (at && number-- > 3) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	return at ? strtoull(at, NULL, 10) : 0;
}

bool proc_exec(pid_t pid, struct proc_exec *out)
{
	char path[64], text[STAT_SIZE];
	const char *fields;
	int stat;

	proc_path(pid, "stat", path, sizeof(path));
	stat = open(path, O_RDONLY | O_CLOEXEC);
	if (stat < 0)
		return false;
	fields = read_stat(stat, text);
	close(stat);
	*out = (struct proc_exec){.start = field_at(fields, 22),
				  .stack = field_at(fields, 28),
				  .arg_start = field_at(fields, 48),
				  .arg_end = field_at(fields, 49)};
	return fields != NULL;
}

bool proc_stat(pid_t pid, pid_t tid, struct proc_stat *out)
{
	int stat = proc_open_stat(pid, tid);
	char text[STAT_SIZE];
	const char *fields;

	if (stat < 0)
		return false;
	fields = read_stat(stat, text);
	close(stat);
	if (!fields)
		return false;
	*out = (struct proc_stat){.state = fields[0],
				  .flags = field_at(fields, 9),
				  .ticks = field_at(fields, 14) +
					   field_at(fields, 15),
				  .cpu = (int)field_at(fields, 39),
				  .start_brk = field_at(fields, 47)};
	return true;
}

bool proc_signals(int stat, struct proc_signals *out)
{
	char text[STAT_SIZE];
	const char *fields = read_stat(stat, text);

	if (!fields || proc_has_ended(fields[0]))
		return false;
	out->ignored = field_at(fields, 33);
	out->caught = field_at(fields, 34);
	return true;
}

void target_thread_info(const struct thread *thread, char *state,
			char name[static 17])
{
	struct proc_stat stat;
	char path[80];
	FILE *file;

	*state = proc_stat(thread->process->pid, thread->tid, &stat)
			 ? stat.state
			 : '?';
	strcpy(name, "?");
	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm",
		 thread->process->pid, thread->tid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(name, 17, file))
		name[strcspn(name, "\n")] = '\0';
	fclose(file);
}

bool target_waiting_pc(const struct thread *thread, uint64_t *pc)
{
	char path[80], line[256], *last;
	FILE *file;
	bool waits;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall",
		 thread->process->pid, thread->tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	/* The file contains "running", or the number of a system call, its
	 * arguments, the stack pointer and the program counter. */
	waits = fgets(line, sizeof(line), file) &&
		(last = strrchr(line, ' ')) &&
		sscanf(last, " %" SCNx64, pc) == 1;
	fclose(file);
	return waits;
}

/* Parse a number that is followed by the character `end`, and set *text behind
 * this character. */
static bool parse_number(char **text, int base, char end, uint64_t *out)
{
	char *behind;

	*out = strtoull(*text, &behind, base);
	if (behind == *text || *behind != end)
		return false;
	*text = behind + 1;
	return true;
}

/* Parse a line of /proc/PID/maps. sscanf(3) would take some microseconds for
 * each line, and each thread of a program has a line or two. */
static bool parse_mapping(char *line, struct mapping *out)
{
	uint64_t major, minor;
	char *at = line;

	line[strcspn(line, "\n")] = '\0';
	*out = (struct mapping){0};
	if (!parse_number(&at, 16, '-', &out->low) ||
	    !parse_number(&at, 16, ' ', &out->high) || strlen(at) < 5)
		return false;
	out->readable = at[0] == 'r';
	out->writable = at[1] == 'w';
	out->executable = at[2] == 'x';
	out->shared = at[3] == 's';
	at += 5;
	if (!parse_number(&at, 16, ' ', &out->offset) ||
	    !parse_number(&at, 16, ':', &major) ||
	    !parse_number(&at, 16, ' ', &minor) ||
	    !parse_number(&at, 10, ' ', &out->inode))
		return false;
	out->device = major << 32 | minor;
	out->path = xstrdup(at + strspn(at, " "));
	return true;
}

static struct error *open_maps(pid_t pid, char *path, size_t size, FILE **out)
{
	proc_path(pid, "maps", path, size);
	*out = fopen(path, "re");
	if (!*out && errno == EACCES)
		return error_create(ERROR_OTHER,
				    "process %d has made itself unreadable to "
				    "others (it is not dumpable, prctl(2))",
				    pid);
	return *out ? NULL : proc_error(errno, pid, path);
}

struct error *target_read_maps(pid_t pid, struct mapping_list *out)
{
	char path[64], *line = NULL;
	struct mapping mapping;
	size_t capacity = 0;
	int failure;
	FILE *file;

	*out = (struct mapping_list){0};
	TRY(open_maps(pid, path, sizeof(path), &file));
	while (getline(&line, &capacity, file) > 0)
		if (parse_mapping(line, &mapping))
			vec_push(out, mapping);
	failure = out->count && !ferror(file) ? 0 : read_failure(file);
	free(line);
	fclose(file);
	if (!failure)
		return NULL;
	/* Return no mappings: the caller would take those that were read before
	 * the failure for all mappings. */
	mapping_list_deinit(out);
	*out = (struct mapping_list){0};
	return proc_error(failure, pid, path);
}

/* The argument of PROCMAP_QUERY, an ioctl(2) of /proc/PID/maps that tells of
 * one mapping (Linux 6.11, uapi/linux/fs.h). Headers of an older kernel do not
 * have it. */
struct map_query {
	uint64_t size, flags, address; /* what is asked */
	uint64_t low, high, rights, page_size, offset, inode;
	uint32_t device_major, device_minor;
	uint32_t name_size, build_id_size;
	uint64_t name, build_id;
};
#define ASK_MAP _IOWR('f', 17, struct map_query)
#define MAP_READABLE 1
#define MAP_WRITABLE 2
#define MAP_EXECUTABLE 4
#define MAP_IS_SHARED 8

/* A path as /proc/PID/maps shows it. The caller frees it. */
static char *shown_path(const char *path)
{
	struct str shown = {0};

	for (; *path; path++)
		if (*path == '\n')
			str_append(&shown, "\\012");
		else
			str_append_char(&shown, *path);
	return str_take(&shown);
}

/* Ask the kernel for a mapping. Returns 0, or an errno value; ENOENT: nothing
 * is mapped there. */
static int ask_map(int file, uint64_t address, struct mapping *out)
{
	char name[PATH_MAX] = "";
	struct map_query query = {.size = sizeof(query),
				  .address = address,
				  .name_size = sizeof(name),
				  .name = (uintptr_t)name};

	if (ioctl(file, ASK_MAP, &query) != 0)
		return errno;
	*out = (struct mapping){
		.low = query.low,
		.high = query.high,
		.offset = query.offset,
		.inode = query.inode,
		.device =
			(uint64_t)query.device_major << 32 | query.device_minor,
		.readable = query.rights & MAP_READABLE,
		.writable = query.rights & MAP_WRITABLE,
		.executable = query.rights & MAP_EXECUTABLE,
		.shared = query.rights & MAP_IS_SHARED,
		.path = shown_path(query.name_size ? name : "")};
	return 0;
}

/* Read all mappings for one of them. */
static struct error *search_maps(pid_t pid, uint64_t address,
				 struct mapping *out, bool *found)
{
	struct mapping_list maps;
	size_t i;

	TRY(target_read_maps(pid, &maps));
	i = mapping_list_above(&maps, address);
	*found = i < maps.count && maps.data[i].low <= address;
	if (*found) {
		*out = maps.data[i];
		out->path = xstrdup(out->path);
	}
	mapping_list_deinit(&maps);
	return NULL;
}

struct error *target_read_mapping(pid_t pid, uint64_t address,
				  struct mapping *out, bool *found)
{
	char path[64];
	int failure;
	FILE *file;

	*out = (struct mapping){0};
	*found = false;
	TRY(open_maps(pid, path, sizeof(path), &file));
	failure = ask_map(fileno(file), address, out);
	fclose(file);
	if (failure && failure != ENOENT)
		return search_maps(pid, address, out, found);
	*found = !failure;
	return NULL;
}

size_t mapping_list_above(const struct mapping_list *list, uint64_t address)
{
	size_t low;

	SEARCH_FIRST(low, list->count, list->data[low].high > address);
	return low;
}

void mapping_list_deinit(struct mapping_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->data[i].path);
	vec_free(list);
}

void proc_children(pid_t pid, pid_t tid, struct pid_list *out)
{
	char path[64];
	FILE *file;
	pid_t child;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, tid);
	file = fopen(path, "re");
	if (!file)
		return;
	while (fscanf(file, "%d", &child) == 1)
		vec_push(out, child);
	fclose(file);
}

void proc_each_thread(pid_t pid, void (*visit)(void *context, pid_t tid),
		      void *context)
{
	struct dirent *entry;
	char path[64];
	DIR *directory;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0)
			visit(context, tid);
	}
	if (directory)
		closedir(directory);
}
