/*
 * waits.c - system calls that last, in a thread that has all signals blocked:
 * none may see EINTR, nor end before its time
 *
 * A few the kernel itself ends with EINTR at any stop, SIGSTOP too (signal(7),
 * "Interruption of system calls and library functions by stop signals"). A tool
 * can make that good while it lives. These are counted apart, as
 * truth->interrupted, for the judge to decide.
 *
 * Half of them are made by f13, whose first instruction is the system call.
 */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "victim.h"

#define FILE_NUMBER 5

struct waits {
	int epoll, pair[2], semaphores;
	pthread_t aide; /* writes to pair[1] when it is wanted */
	atomic_ulong wanted, over;
};

static void *write_when_wanted(void *context)
{
	struct waits *own = context;

	while (!atomic_load(&own->over)) {
		sleep_for(700);
		if (atomic_exchange(&own->wanted, 0))
			CHECK_EQUAL(write(own->pair[1], "x", 1), 1);
	}
	return NULL;
}

static void set_up(struct thread *thread)
{
	struct waits *own = calloc(1, sizeof(*own));

	own->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, own->pair) < 0)
		abort();
	own->semaphores = semget(IPC_PRIVATE, 1, 0600);
	thread->own = own;
	pthread_create(&own->aide, NULL, write_when_wanted, own);
}

static void tear_down(struct thread *thread)
{
	struct waits *own = thread->own;

	atomic_store(&own->over, 1);
	pthread_join(own->aide, NULL);
	semctl(own->semaphores, 0, IPC_RMID);
	close(own->epoll);
	close(own->pair[0]);
	close(own->pair[1]);
	free(own);
}

/* Each returns what came of it as a system call does: -errno. */
static long result(long value)
{
	return value < 0 ? -errno : value;
}

static long wait_by(struct waits *own, unsigned how, long ms, long *wanted)
{
	struct timespec time = {0, ms * 1000000};
	struct timeval limit = {0, (suseconds_t)(ms * 1000)};
	struct sembuf take = {0, -1, 0};
	struct epoll_event event;
	uint32_t word = 0;
	sigset_t none;
	char byte;

	*wanted = 0;
	switch (how) {
	case 0:
		return result(nanosleep(&time, NULL));
	case 1:
		return result(poll(NULL, 0, (int)ms));
	case 2:
		return result(epoll_wait(own->epoll, &event, 1, (int)ms));
	case 3:
		return result(ppoll(NULL, 0, &time, NULL));
	case 4:
		return result(select(0, NULL, NULL, NULL, &limit));
	case 5:
		*wanted = -ETIMEDOUT;
		return result(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0,
				      &time, NULL, 0));
	case 6:
		*wanted = -EAGAIN;
		return result(semtimedop(own->semaphores, &take, 1, &time));
	case 7:
		*wanted = -EAGAIN;
		sigemptyset(&none);
		sigaddset(&none, SIGRTMAX);
		return result(sigtimedwait(&none, NULL, &time));
	case 8:
		*wanted = -EAGAIN;
		setsockopt(own->pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit,
			   sizeof(limit));
		return result(recv(own->pair[0], &byte, 1, 0));
	case 9:
		return call_system(SYS_nanosleep, (long)&time, 0, 0);
	default:
		return call_system(SYS_poll, 0, 0, ms);
	}
}

static long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000 + time.tv_nsec;
}

/* A byte that comes after a while, no timeout. */
static void wait_for_byte(struct waits *own, bool probed)
{
	struct timeval none = {0, 0};
	char byte = 0;

	setsockopt(own->pair[0], SOL_SOCKET, SO_RCVTIMEO, &none, sizeof(none));
	atomic_store(&own->wanted, 1);
	if (probed)
		CHECK_EQUAL(call_system(SYS_read, own->pair[0], (long)&byte, 1),
			    1);
	else
		CHECK_EQUAL(result(read(own->pair[0], &byte, 1)), 1);
	CHECK_EQUAL(byte, 'x');
}

/* epoll_wait, semtimedop, sigtimedwait, recv with a timeout */
static bool ends_at_a_stop(unsigned how)
{
	return how == 2 || (how >= 6 && how <= 8);
}

static void wait_somehow(struct thread *thread)
{
	uint64_t x = next_random(&thread->random);
	unsigned how = (unsigned)(x >> 8) % 13;
	long ms = x % 16 ? 1 : 40, began = now(), got, wanted;

	if (how >= 11) {
		wait_for_byte(thread->own, how == 11);
		return;
	}
	got = wait_by(thread->own, how, ms, &wanted);
	if (got == -EINTR && ends_at_a_stop(how)) {
		atomic_fetch_add(&truth->interrupted, 1);
		return;
	}
	CHECK_EQUAL(got, wanted);
	if (now() - began < ms * 1000000 - 100000)
		note_bad(FILE_NUMBER, how, (uint64_t)(now() - began),
			 (uint64_t)ms * 1000000);
}

const struct feature wait_features[] = {
	{"waits", 1, 4, set_up, wait_somehow, tear_down, NULL},
	{0},
};
