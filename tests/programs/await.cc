/*
 * await.cc - coroutines of C++20, which take turns
 *
 * Flags: -std=c++20 -fcoroutines
 *
 * usage: await [THREADS]
 *
 * 5 coroutines do 8 requests each: begin(), a suspension or two, while the
 * others have their turns, end(). A turn takes a millisecond. The coroutines
 * are resumed by the main thread, or by that many threads in turns.
 *
 * The program counts; `asked` is for how long it slept between begin() and
 * end(), `took` the time around them by its own clock, in ns, all added up.
 */
#include <cerrno>
#include <condition_variable>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <thread>
#include <vector>

enum { COROUTINES = 5, REQUESTS = 8, NAP_NS = 500000 };

struct task {
	struct promise_type {
		task get_return_object()
		{
			return {std::coroutine_handle<
				promise_type>::from_promise(*this)};
		}
		std::suspend_always initial_suspend()
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
			std::abort();
		}
	};
	std::coroutine_handle<promise_type> handle;
};

static unsigned long begins, ends, resumes, slept_ns, asked;
static long long took;

static long long now()
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

__attribute__((noipa)) void begin(int request)
{
	begins += request > 0;
}

__attribute__((noipa)) void end(int request)
{
	ends += request > 0;
}

task serve(int number)
{
	for (int i = 1; i <= REQUESTS; i++) {
		unsigned long slept = slept_ns;
		long long began = now();
		int request = 100 * number + i;

		begin(request);
		co_await std::suspend_always{};
		if ((number + i) % 2)
			co_await std::suspend_always{};
		end(request);
		took += now() - began;
		asked += slept_ns - slept;
	}
}

__attribute__((noipa)) void resume(task &task)
{
	struct timespec time = {0, NAP_NS};

	resumes++;
	task.handle.resume();
	while (nanosleep(&time, &time) != 0 && errno == EINTR)
		;
	slept_ns += NAP_NS;
}

static std::vector<task> tasks;

/* One turn of each; are any left? */
static bool turns()
{
	bool left = false;

	for (task &task : tasks) {
		if (task.handle.done())
			continue;
		resume(task);
		left |= !task.handle.done();
	}
	return left;
}

static void work(int number, int threads)
{
	static std::mutex mutex;
	static std::condition_variable changed;
	static int turn;
	static bool over;
	std::unique_lock<std::mutex> lock(mutex);

	while (!over) {
		if (turn != number) {
			changed.wait(lock);
			continue;
		}
		over = !turns();
		turn = (turn + 1) % threads;
		changed.notify_all();
	}
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? std::atoi(argv[1]) : 1;
	std::vector<std::thread> others;

	for (int i = 1; i <= COROUTINES; i++)
		tasks.push_back(serve(i));
	for (int i = 1; i < threads; i++)
		others.emplace_back(work, i, threads);
	work(0, threads);
	for (std::thread &other : others)
		other.join();
	for (task &task : tasks)
		task.handle.destroy();
	std::printf("serve %d begins %lu ends %lu resumes %lu asked %lu took "
		    "%lld\n",
		    COROUTINES, begins, ends, resumes, asked, took);
	return 0;
}
