/*
 * children.c - features that make children, by every way there is
 *
 * A child's calls are counted by itself, in the shared memory, and how it ended
 * is told by its status, which its parent checks. A child is short: it dies
 * with the thread that made it.
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

#define FILE_NUMBER 4

extern char **environ;

static pid_t make_child(enum kind as)
{
	pid_t pid;

	next_random(&self->random); /* or all children would do the same */
	pid = fork();
	if (pid == 0) {
		kind = child_kind(as);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	} else if (pid > 0) {
		atomic_fetch_add(&truth->children_born, 1);
	}
	return pid;
}

static void expect_status(pid_t pid, int wanted)
{
	int status = 0;
	pid_t got;

	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	CHECK_EQUAL(got, pid);
	CHECK_EQUAL(status, wanted);
}

static int exited(int status)
{
	return status << 8;
}

/* ---- fork -------------------------------------------------------------------
 */

static void on_child(int signal)
{
	int saved = errno;

	if (begin_round()) {
		call_handler((uint64_t)signal);
		end_round();
	}
	errno = saved;
}

static void begin_fork(void)
{
	struct sigaction action = {.sa_handler = on_child,
				   .sa_flags = SA_RESTART};

	sigaction(SIGCHLD, &action, NULL);
}

static void hear_of_children(struct thread *thread)
{
	(void)thread;
	unblock(SIGCHLD);
}

static void fork_round(struct thread *thread)
{
	bool violent = next_random(&thread->random) % 4 == 0;
	pid_t pid = make_child(FORKED);

	if (pid == 0) {
		block_all();
		for (unsigned i = 0; i < 8; i++)
			call_any(&thread->random);
		if (violent)
			kill(getpid(), SIGKILL);
		_exit(7);
	}
	for (unsigned i = 0; i < 4; i++)
		call_plain(&thread->random);
	expect_status(pid, violent ? SIGKILL : exited(7));
}

/* A child of a child, which outlives its parent: nobody waits for it, so it
 * tells that it is through by a pipe. */
static void orphan_round(struct thread *thread)
{
	int pipe_ends[2];
	char byte = 0;
	pid_t pid;

	if (pipe(pipe_ends) < 0)
		return;
	pid = make_child(FORKED);
	if (pid == 0) {
		block_all();
		call_plain(&thread->random);
		if (fork() != 0)
			_exit(8);
		for (unsigned i = 0; i < 6; i++)
			call_any(&thread->random);
		_exit(write(pipe_ends[1], "x", 1) == 1 ? 0 : 1);
	}
	close(pipe_ends[1]);
	expect_status(pid, exited(8));
	CHECK_EQUAL(read(pipe_ends[0], &byte, 1), 1);
	CHECK_EQUAL(byte, 'x');
	close(pipe_ends[0]);
}

/* ---- vfork, posix_spawn, system
 * ------------------------------------------------- */

struct words {
	char seed[24];
	char *argv[6];
};

/* The argument list of `victim FILE child SEED CALLS`. */
static void child_words(struct words *words, struct thread *thread)
{
	snprintf(words->seed, sizeof(words->seed), "%u",
		 (unsigned)next_random(&thread->random));
	words->argv[0] = (char *)"victim";
	words->argv[1] = (char *)options.file;
	words->argv[2] = (char *)"child";
	words->argv[3] = words->seed;
	words->argv[4] = (char *)"6";
	words->argv[5] = NULL;
}

static void vfork_round(struct thread *thread)
{
	struct words words;
	pid_t pid;

	child_words(&words, thread);
	pid = vfork();
	if (pid == 0) {
		/* in its parent's memory, where `kind` is its parent's */
		call_as(child_kind(FORKED), F1, 41);
		call_as(child_kind(FORKED), F8, 42);
		execv(options.path, words.argv);
		_exit(127);
	}
	atomic_fetch_add(&truth->children_born, 1);
	call_plain(&thread->random);
	expect_status(pid, exited(3));
}

static void spawn_round(struct thread *thread)
{
	struct words words;
	pid_t pid = -1;

	child_words(&words, thread);
	CHECK_EQUAL(posix_spawn(&pid, options.path, NULL, NULL, words.argv,
				environ),
		    0);
	atomic_fetch_add(&truth->children_born, 1);
	call_plain(&thread->random);
	expect_status(pid, exited(3));
}

static void system_round(struct thread *thread)
{
	CHECK_EQUAL(system("exit 7"), exited(7));
	atomic_fetch_add(&truth->children_born, 1);
	call_plain(&thread->random);
}

/* ---- stop: job control
 * ------------------------------------------------------------- */

static void stop_round(struct thread *thread)
{
	pid_t pid = make_child(FORKED);
	int status = 0;

	if (pid == 0) {
		block_all();
		/* nobody would continue it if the victim were killed now */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		call_plain(&thread->random);
		kill(getpid(), SIGSTOP); /* before it returns */
		call_plain(&thread->random);
		_exit(13);
	}
	CHECK_EQUAL(waitpid(pid, &status, WUNTRACED), pid);
	CHECK_EQUAL(status, SIGSTOP << 8 | 0x7f);
	kill(pid, SIGCONT);
	CHECK_EQUAL(waitpid(pid, &status, WCONTINUED), pid);
	/* unless it has ended already */
	if (status == 0xffff)
		expect_status(pid, exited(13));
	else
		CHECK_EQUAL(status, exited(13));
}

/* ---- children with threads
 * ------------------------------------------------------------ */

struct helper {
	struct thread *thread;
	uint64_t random;
	atomic_ulong *done;
	pid_t leader; /* wait until it has ended */
};

static void *exec_in_thread(void *context)
{
	struct helper *helper = context;
	struct words words;

	child_words(&words, helper->thread);
	execv(options.path, words.argv);
	_exit(127);
}

static void *call_until_killed(void *context)
{
	struct helper *helper = context;

	for (unsigned i = 0; i < 200; i++) {
		call_plain(&helper->random);
		atomic_fetch_add(helper->done, 1);
	}
	for (;;)
		pause();
	return NULL;
}

/* Threads in the middle of calls, one of them executes another program. */
static void exec_round(struct thread *thread)
{
	pid_t pid = make_child(AMID);
	struct helper helpers[2];
	atomic_ulong done = 0;
	pthread_t id;

	if (pid == 0) {
		block_all();
		for (unsigned i = 0; i < 2; i++) {
			helpers[i] = (struct helper){
				thread, next_random(&thread->random), &done, 0};
			pthread_create(&id, NULL,
				       i ? exec_in_thread : call_until_killed,
				       &helpers[i]);
		}
		for (;;)
			pause();
	}
	expect_status(pid, exited(3));
}

/* Threads in the middle of calls when the process ends. */
static void amid_round(struct thread *thread)
{
	pid_t pid = make_child(AMID);
	struct helper helpers[3];
	atomic_ulong done = 0;
	pthread_t id;

	if (pid == 0) {
		block_all();
		for (unsigned i = 0; i < 3; i++) {
			helpers[i] = (struct helper){
				thread, next_random(&thread->random), &done, 0};
			pthread_create(&id, NULL, call_until_killed,
				       &helpers[i]);
		}
		while (atomic_load(&done) < 30)
			sleep_for(50);
		_exit(11);
	}
	expect_status(pid, exited(11));
}

static void *outlive_leader(void *context)
{
	struct helper *helper = context;
	char path[64], state = 0;
	FILE *stat;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", helper->leader);
	while (state != 'Z') {
		stat = fopen(path, "re");
		if (!stat)
			break;
		if (fscanf(stat, "%*d (%*[^)]) %c", &state) != 1)
			state = 0;
		fclose(stat);
	}
	CHECK_EQUAL(state, 'Z');
	for (unsigned i = 0; i < 8; i++)
		call_any(&helper->random);
	_exit(12);
}

static void leader_round(struct thread *thread)
{
	pid_t pid = make_child(FORKED);
	struct helper helper = {thread, 0, NULL, 0};
	pthread_t id;

	if (pid == 0) {
		block_all();
		helper.random = next_random(&thread->random);
		helper.leader = getpid();
		pthread_create(&id, NULL, outlive_leader, &helper);
		syscall(SYS_exit, 0);
	}
	expect_status(pid, exited(12));
}

/* ---- prefork: children that last
 * ------------------------------------------------------------------------ */

static void serve(struct thread *thread)
{
	block_all();
	while (!is_over()) {
		atomic_fetch_add(&thread->slot->child_beat, 1);
		if (begin_round()) {
			for (unsigned i = 0; i < 8; i++)
				call_any(&thread->random);
			end_round();
		}
		sleep_for(500);
	}
	_exit(14);
}

static void prefork(struct thread *thread)
{
	pid_t pid = make_child(FORKED);

	if (pid == 0)
		serve(thread);
	atomic_store(&thread->slot->child, (unsigned long)pid);
}

static void prefork_round(struct thread *thread)
{
	/* it is alive */
	CHECK_EQUAL(waitpid((pid_t)thread->slot->child, NULL, WNOHANG), 0);
	call_plain(&thread->random);
}

static void end_server(struct thread *thread)
{
	expect_status((pid_t)thread->slot->child, exited(14));
}

const struct feature child_features[] = {
	{"fork", 1, 8, hear_of_children, fork_round, NULL, begin_fork},
	{"orphan", 1, 16, NULL, orphan_round, NULL, NULL},
	{"vfork", 1, 16, NULL, vfork_round, NULL, NULL},
	{"spawn", 1, 16, NULL, spawn_round, NULL, NULL},
	{"system", 1, 16, NULL, system_round, NULL, NULL},
	{"stop", 1, 16, NULL, stop_round, NULL, NULL},
	{"execthread", 1, 16, NULL, exec_round, NULL, NULL},
	{"amid", 1, 16, NULL, amid_round, NULL, NULL},
	{"childleader", 1, 16, NULL, leader_round, NULL, NULL},
	{"prefork", 2, 4, prefork, prefork_round, end_server, NULL},
	{0},
};
