/*
 * commands.c - a server that executes commands, some of which are slow
 *
 * Clients put commands into a queue, and workers execute them. The function
 * execute() is the same for all commands. To find the slow command, split the
 * times of execute() by the name of the command.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"

enum { WORKERS = 2, COMMANDS = 600, CAPACITY = 8, NAMES = 4 };

struct command {
	char name[16];
	uint64_t put, done;
};

static const char *const names[NAMES] = {"get", "set", "incr", "keys"};
static const unsigned busy_us[NAMES] = {20, 40, 30, 700};
static unsigned counts[NAMES];
static uint64_t inside[NAMES], waited[NAMES];

static struct command commands[COMMANDS];
static struct command *queue[CAPACITY];
static unsigned put, taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;

static unsigned index_of(const char *name)
{
	unsigned i = 0;

	while (strcmp(names[i], name) != 0)
		i++;
	return i;
}

void submit(struct command *command, const char *name)
{
	strcpy(command->name, name);
	command->put = now_ns();
	pthread_mutex_lock(&lock);
	while (put - taken == CAPACITY)
		pthread_cond_wait(&not_full, &lock);
	queue[put++ % CAPACITY] = command;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&lock);
}

static struct command *take(void)
{
	struct command *command = NULL;

	pthread_mutex_lock(&lock);
	while (put == taken && taken < COMMANDS)
		pthread_cond_wait(&not_empty, &lock);
	if (taken < COMMANDS) {
		command = queue[taken++ % CAPACITY];
		pthread_cond_signal(&not_full);
	}
	if (taken == COMMANDS)
		pthread_cond_broadcast(&not_empty);
	pthread_mutex_unlock(&lock);
	return command;
}

/* Executes a command. Returns how long the execution took, in ns. */
uint64_t execute(const char *name, unsigned index)
{
	uint64_t start = now_ns();

	(void)name;
	return busy_until(start + busy_us[index] * 1000u) - start;
}

void finish(struct command *command)
{
	command->done = now_ns();
}

static void *work(void *unused)
{
	struct command *command;

	while ((command = take())) {
		unsigned index = index_of(command->name);
		uint64_t took = execute(command->name, index);

		finish(command);
		pthread_mutex_lock(&lock);
		counts[index]++;
		inside[index] += took;
		waited[index] += command->done - command->put;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(void)
{
	pthread_t workers[WORKERS];

	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, work, NULL);
	/* of 20 commands, 10 are get, 6 are set, 3 are incr, 1 is keys */
	for (unsigned i = 0; i < COMMANDS; i++)
		submit(&commands[i],
		       names["01020100120100103201"[i % 20] - '0']);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	for (int i = 0; i < NAMES; i++)
		printf("%s: %u calls, %.3f ms, with waiting %.3f ms\n",
		       names[i], counts[i], (double)inside[i] / 1e6,
		       (double)waited[i] / 1e6);
	return 0;
}
