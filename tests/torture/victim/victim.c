/*
 * victim.c - a program that knows its own truth
 *
 * usage: victim FILE SEED ROUNDS PACE FEATURE[=THREADS]...
 *        victim FILE child SEED CALLS
 *        victim --layout
 *
 * Its threads call the functions f0 to f13 and g0 while they do what the
 * features say, and count every call in FILE, which is mapped as a struct
 * truth. A worker does ROUNDS rounds (0: until truth->quit), and pauses for
 * PACE microseconds after each. `child` is what its own children execute.
 * `--layout` tells the judge where in FILE what is. At the end the truth is
 * printed as JSON.
 *
 * Two features concern the process: `leader` (its first thread ends first) and
 * `exec` (when the work is done it executes itself, and works again).
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "victim.h"

#define FILE_NUMBER 2

struct truth *truth;
enum kind kind;
struct options options;
__thread struct thread *self;

const char *const function_names[FUNCTIONS] = {
	"f0", "f1", "f2",  "f3",  "f4",  "f5",  "f6", "f7",
	"f8", "f9", "f10", "f11", "f12", "f13", "g0"};
const char *const kind_names[KINDS] = {
	"main",  "forked",       "spawned",       "amid",
	"again", "again-forked", "again-spawned", "again-amid"};

static struct thread threads[SLOTS];
static unsigned thread_count;
static bool leader_leaves, executes_itself;

void note_bad(unsigned file, unsigned line, uint64_t got, uint64_t wanted)
{
	unsigned long index = atomic_fetch_add(&truth->bad, 1);
	struct fault *fault = &truth->faults[index];

	if (index >= FAULTS)
		return;
	fault->file = file;
	fault->got = got;
	fault->wanted = wanted;
	fault->tid = (unsigned long)syscall(SYS_gettid);
	fault->line = line;
}

enum kind child_kind(enum kind as)
{
	return kind == AGAIN ? as - FORKED + AGAIN_FORKED : as;
}

uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* ---- rounds ----------------------------------------------------------------
 */

bool begin_round(void)
{
	atomic_fetch_add(&truth->active, 1);
	if (atomic_load(&truth->gate))
		return true;
	atomic_fetch_sub(&truth->active, 1);
	return false;
}

void end_round(void)
{
	atomic_fetch_sub(&truth->active, 1);
}

bool is_over(void)
{
	return atomic_load(&truth->quit);
}

void sleep_for(unsigned microseconds)
{
	struct timespec time = {0, microseconds * 1000L};

	if (microseconds)
		nanosleep(&time, NULL);
}

static void *live(void *context)
{
	struct thread *thread = context;
	const struct feature *feature = thread->feature;
	unsigned long left = options.rounds / feature->cost + 1;

	self = thread;
	atomic_store(&thread->slot->tid, (unsigned long)syscall(SYS_gettid));
	if (feature->set_up)
		feature->set_up(thread);
	while (!is_over() && left) {
		atomic_fetch_add(&thread->slot->beat, 1);
		if (!begin_round()) {
			sleep_for(500);
			continue;
		}
		feature->round(thread);
		end_round();
		sleep_for(options.pace);
		if (options.rounds)
			left--;
	}
	block_all();
	if (feature->tear_down)
		feature->tear_down(thread);
	atomic_store(&thread->slot->over, 1);
	return NULL;
}

/* ---- signals
 * ----------------------------------------------------------------- */

static void mask(int how, int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	pthread_sigmask(how, &set, NULL);
}

void unblock(int signal)
{
	mask(SIG_UNBLOCK, signal);
}

void block_all(void)
{
	sigset_t all;

	sigfillset(&all);
	sigdelset(&all, SIGTRAP);
	sigdelset(&all, SIGSEGV);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
}

unsigned find_threads(const char *feature, struct thread **out, unsigned room)
{
	unsigned found = 0;

	for (unsigned i = 0; i < thread_count && found < room; i++)
		if (strcmp(threads[i].feature->name, feature) == 0 &&
		    atomic_load(&threads[i].slot->tid) &&
		    !atomic_load(&threads[i].slot->over))
			out[found++] = &threads[i];
	return found;
}

/* ---- features
 * ---------------------------------------------------------------- */

static const struct feature *find_feature(const char *name, size_t length)
{
	static const struct feature *const families[] = {
		worker_features, signal_features, child_features, wait_features,
		thread_features};

	for (unsigned i = 0; i < sizeof(families) / sizeof(*families); i++)
		for (const struct feature *f = families[i]; f->name; f++)
			if (strlen(f->name) == length &&
			    strncmp(f->name, name, length) == 0)
				return f;
	return NULL;
}

static void die(const char *what, const char *why)
{
	fprintf(stderr, "victim: %s: %s\n", what, why);
	exit(2);
}

static void add_feature(const char *word)
{
	const char *equals = strchrnul(word, '=');
	const struct feature *feature =
		find_feature(word, (size_t)(equals - word));
	unsigned count;

	if (strcmp(word, "leader") == 0) {
		leader_leaves = true;
		return;
	}
	if (strcmp(word, "exec") == 0) {
		executes_itself = true;
		return;
	}
	if (!feature)
		die(word, "no such feature");
	count = *equals ? (unsigned)strtoul(equals + 1, NULL, 10)
			: feature->threads;
	if (feature->begin)
		feature->begin();
	for (unsigned i = 0; feature->round && i < count; i++) {
		struct thread *thread = &threads[thread_count];

		if (thread_count == SLOTS)
			die(word, "too many threads");
		thread->feature = feature;
		thread->number = i;
		thread->random = options.seed * 1000 + thread_count;
		thread->slot = &truth->slots[thread_count++];
	}
}

/* ---- the whole
 * ----------------------------------------------------------------- */

static void map_truth(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *memory;

	if (fd < 0 || ftruncate(fd, sizeof(*truth)) < 0)
		die(path, "cannot be written");
	memory = mmap(NULL, sizeof(*truth), PROT_READ | PROT_WRITE, MAP_SHARED,
		      fd, 0);
	if (memory == MAP_FAILED)
		die(path, "cannot be mapped");
	truth = memory;
	close(fd);
}

static void print_truth(void)
{
	printf("{\"bad\": %lu, \"calls\": {", truth->bad);
	for (unsigned k = 0; k < KINDS; k++) {
		printf("%s\"%s\": {", k ? ", " : "", kind_names[k]);
		for (unsigned f = 0; f < FUNCTIONS; f++) {
			const struct calls *calls = &truth->calls[k][f];

			printf("%s\"%s\": [%lu, %lu, %lu]", f ? ", " : "",
			       function_names[f], calls->begun, calls->returned,
			       calls->unwound);
		}
		putchar('}');
	}
	puts("}}");
}

static void print_names(const char *what, const char *const *names,
			unsigned count)
{
	printf("\"%s\": [", what);
	for (unsigned i = 0; i < count; i++)
		printf("%s\"%s\"", i ? ", " : "", names[i]);
	printf("],\n ");
}

#define WORD(type, name)                                                       \
	printf("\"%s\": %zu%s", #name, offsetof(struct type, name), ", ")
#define LAST_WORD(type, name)                                                  \
	printf("\"%s\": %zu},\n ", #name, offsetof(struct type, name))

static void print_layout(void)
{
	printf("{\"size\": %zu, \"slots_at\": %zu, \"slots\": %d, "
	       "\"slot_size\": %zu,\n ",
	       sizeof(struct truth), offsetof(struct truth, slots), SLOTS,
	       sizeof(struct slot));
	printf("\"calls_at\": %zu, \"faults_at\": %zu, \"fault_words\": "
	       "%zu,\n ",
	       offsetof(struct truth, calls), offsetof(struct truth, faults),
	       sizeof(struct fault) / sizeof(atomic_ulong));
	print_names("functions", function_names, FUNCTIONS);
	print_names("kinds", kind_names, KINDS);
	printf("\"words\": {");
	WORD(truth, pid);
	WORD(truth, interrupted);
	WORD(truth, gate);
	WORD(truth, quit);
	WORD(truth, ready);
	WORD(truth, done);
	WORD(truth, active);
	WORD(truth, threads_born);
	WORD(truth, children_born);
	WORD(truth, libraries_loaded);
	WORD(truth, unwindings);
	LAST_WORD(truth, bad);
	printf("\"slot\": {");
	WORD(slot, tid);
	WORD(slot, beat);
	WORD(slot, over);
	WORD(slot, sent);
	WORD(slot, received);
	WORD(slot, queued);
	WORD(slot, dequeued);
	WORD(slot, waited_sent);
	WORD(slot, waited_received);
	WORD(slot, child);
	WORD(slot, child_beat);
	LAST_WORD(slot, blocks_trap);
	printf("\"faults\": %d}\n", FAULTS);
}

static void execute_again(void)
{
	char **argv = options.argv;
	unsigned kept = 0;

	/* without `exec`, or it would never end */
	for (unsigned i = 0; argv[i]; i++)
		if (strcmp(argv[i], "exec") != 0)
			argv[kept++] = argv[i];
	argv[kept] = NULL;
	memset(truth->slots, 0, sizeof(truth->slots));
	setenv("VICTIM_AGAIN", "1", 1);
	execv(options.path, argv);
	note_bad(FILE_NUMBER, __LINE__, 0, 0);
}

/* Wait for all to end, and end. */
static void *supervise(void *unused)
{
	for (unsigned i = 0; i < thread_count; i++)
		pthread_join(threads[i].id, NULL);
	if (executes_itself)
		execute_again();
	print_truth();
	fflush(stdout);
	atomic_store(&truth->done, 1);
	exit(truth->bad ? 1 : 0);
	return unused;
}

static int be_child(char **argv)
{
	uint64_t random = strtoull(argv[3], NULL, 10);
	unsigned long calls = strtoul(argv[4], NULL, 10);

	if (getenv("VICTIM_AGAIN"))
		kind = AGAIN;
	kind = child_kind(SPAWNED);
	for (unsigned long i = 0; i < calls; i++)
		call_plain(&random);
	return 3;
}

int main(int argc, char **argv)
{
	pthread_t supervisor;

	if (argc == 2 && strcmp(argv[1], "--layout") == 0) {
		print_layout();
		return 0;
	}
	if (argc < 5) {
		fputs("usage: victim FILE SEED ROUNDS PACE FEATURE...\n",
		      stderr);
		return 2;
	}
	map_truth(argv[1]);
	if (strcmp(argv[2], "child") == 0)
		return be_child(argv);
	if (getenv("VICTIM_AGAIN"))
		kind = AGAIN;
	options.file = argv[1];
	options.seed = strtoull(argv[2], NULL, 10);
	options.rounds = strtoul(argv[3], NULL, 10);
	options.pace = (unsigned)strtoul(argv[4], NULL, 10);
	options.argv = argv;
	if (readlink("/proc/self/exe", options.path, sizeof(options.path) - 1) <
	    0)
		die("/proc/self/exe", "cannot be read");
	truth->pid = (unsigned long)getpid();
	catch_faults();
	block_all();
	/* whoever may: not only a parent may attach */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	for (int i = 5; i < argc; i++)
		add_feature(argv[i]);
	for (unsigned i = 0; i < thread_count; i++)
		if (pthread_create(&threads[i].id, NULL, live, &threads[i]))
			die("pthread_create", "failed");
	for (unsigned i = 0; i < thread_count; i++)
		while (!atomic_load(&threads[i].slot->tid))
			sleep_for(100);
	atomic_store(&truth->ready, 1);
	if (!leader_leaves)
		supervise(NULL);
	pthread_create(&supervisor, NULL, supervise, NULL);
	pthread_exit(NULL);
}
