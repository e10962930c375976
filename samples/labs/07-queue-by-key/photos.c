/*
 * photos.c - a laboratory that develops, dries and packs photographs
 *
 * Orders come, several at a time. Each is developed by one of four people, is
 * hung up, is dried by the machine, and is packed. Between two steps orders
 * wait in a queue.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

enum { ORDERS = 200, AT_A_TIME = 10, DEVELOPERS = 4, DRIERS = 1, PACKERS = 2 };

struct order {
	unsigned number;
	struct order *next;
};

struct queue {
	struct order *first, **end;
	bool closed;
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

static struct order orders[ORDERS];
static unsigned packed;
static pthread_mutex_t packing = PTHREAD_MUTEX_INITIALIZER;

#define QUEUE(name)                                                            \
	static struct queue name = {                                           \
		.end = &name.first,                                            \
		.lock = PTHREAD_MUTEX_INITIALIZER,                             \
		.changed = PTHREAD_COND_INITIALIZER,                           \
	}
QUEUE(to_develop);
QUEUE(to_dry);
QUEUE(to_pack);

static void wait_us(long us)
{
	const struct timespec time = {.tv_nsec = us * 1000};

	nanosleep(&time, NULL);
}

static void put(struct queue *queue, struct order *order)
{
	pthread_mutex_lock(&queue->lock);
	order->next = NULL;
	*queue->end = order;
	queue->end = &order->next;
	pthread_cond_signal(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

/* Returns NULL if the queue is empty and nothing more will come. */
static struct order *get(struct queue *queue)
{
	struct order *order;

	pthread_mutex_lock(&queue->lock);
	while (!queue->first && !queue->closed)
		pthread_cond_wait(&queue->changed, &queue->lock);
	order = queue->first;
	if (order) {
		queue->first = order->next;
		if (!queue->first)
			queue->end = &queue->first;
	}
	pthread_mutex_unlock(&queue->lock);
	return order;
}

static void close_queue(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->closed = true;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

/* ---- the way of an order: these five, in this order ---- */

void order_comes(struct order *order)
{
	put(&to_develop, order);
}

void develop(struct order *film)
{
	(void)film;
	wait_us(3000);
}

void hang_up(struct order *print)
{
	put(&to_dry, print);
}

void dry(struct order *print)
{
	(void)print;
	wait_us(2000);
}

void pack(struct order *order)
{
	(void)order;
	pthread_mutex_lock(&packing);
	packed++;
	pthread_mutex_unlock(&packing);
}

/* ---- who does it ---- */

static void *developer(void *unused)
{
	struct order *order;

	while ((order = get(&to_develop))) {
		develop(order);
		hang_up(order);
	}
	return unused;
}

static void *drier(void *unused)
{
	struct order *order;

	while ((order = get(&to_dry))) {
		dry(order);
		put(&to_pack, order);
	}
	return unused;
}

static void *packer(void *unused)
{
	struct order *order;

	while ((order = get(&to_pack)))
		pack(order);
	return unused;
}

static void begin(pthread_t *threads, int count, void *(*work)(void *))
{
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, work, NULL);
}

/* Lets the threads finish what is in their queue. */
static void end(pthread_t *threads, int count, struct queue *queue)
{
	close_queue(queue);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	pthread_t developers[DEVELOPERS], driers[DRIERS], packers[PACKERS];

	begin(developers, DEVELOPERS, developer);
	begin(driers, DRIERS, drier);
	begin(packers, PACKERS, packer);
	for (unsigned i = 0; i < ORDERS; i++) {
		orders[i].number = i;
		order_comes(&orders[i]);
		if (i % AT_A_TIME == AT_A_TIME - 1)
			wait_us(8000);
	}
	end(developers, DEVELOPERS, &to_develop);
	end(driers, DRIERS, &to_dry);
	end(packers, PACKERS, &to_pack);
	printf("%u orders are packed.\n", packed);
	return 0;
}
