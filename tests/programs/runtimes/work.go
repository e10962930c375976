// Go and C in one program: for each number that it reads, four goroutines make
// so many calls into C, of which every fourth calls Go back.
package main

/*
#include <errno.h>
#include <unistd.h>

extern int goBack(int);

__attribute__((noinline)) static int c_plain(int x)
{
	__asm__ volatile("");
	return x + 1;
}

__attribute__((noinline)) static int c_back(int x)
{
	return goBack(x) + 1;
}

// A process that was stopped for 10 ms has Go's scheduler send a signal, which
// ends the sleep.
__attribute__((noinline)) static int c_sleep(int us)
{
	int result;

	do
		result = usleep(us);
	while (result && errno == EINTR);
	return result;
}
*/
import "C"

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

var plain, back, nap int64

//export goBack
func goBack(x C.int) C.int {
	atomic.AddInt64(&back, 1)
	return x * 2
}

//go:noinline
func napInC() int {
	atomic.AddInt64(&nap, 1)
	return int(C.c_sleep(1000))
}

//go:noinline
func work(count int) int64 {
	var sum int64

	for i := 0; i < count; i++ {
		atomic.AddInt64(&plain, 1)
		sum += int64(C.c_plain(C.int(i)))
		if i%4 == 0 {
			sum += int64(C.c_back(C.int(i)))
		}
		if i%100 == 0 {
			sum += int64(napInC())
		}
	}
	return sum
}

func main() {
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var group sync.WaitGroup
		var sum int64

		count, _ := strconv.Atoi(in.Text())
		plain, back, nap = 0, 0, 0
		for g := 0; g < 4; g++ {
			group.Add(1)
			go func() {
				defer group.Done()
				atomic.AddInt64(&sum, work(count))
			}()
		}
		group.Wait()
		fmt.Println("plain", plain, "back", back, "nap", nap, "sum", sum)
	}
}
