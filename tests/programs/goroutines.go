// goroutines.go - a Go program that knows its own truth: how often its functions
// were called. Its argument says what it does; see tests/e2e/goroutines.t.
package main

import (
	"os"
	"runtime"
	"sync"
	"time"
)

func say(truth string) { os.Stdout.WriteString(truth + "\n") }

// all runs a function in so many goroutines and waits for them.
func all(count int, run func(int)) {
	var group sync.WaitGroup

	for i := 0; i < count; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			run(i)
		}(i)
	}
	group.Wait()
}

//go:noinline
func nap() { time.Sleep(5 * time.Millisecond) }

func naps() {
	all(4, func(int) {
		for i := 0; i < 5; i++ {
			nap()
		}
	})
	say("nap 20")
}

// deep has 300 bytes in each frame, so that its stack is copied several times
// while all calls are open.
//
//go:noinline
func deep(n int) int {
	var filler [37]int

	filler[n%37] = n
	if n > 0 {
		filler[0] += deep(n - 1)
	}
	return filler[n%37] + filler[0]
}

func grow() {
	all(20, func(int) { deep(300) })
	say("deep 6020")
}

//go:noinline
func fails(i int) int {
	if i%2 == 1 {
		panic("odd")
	}
	return i
}

//go:noinline
func between(i int) int { return fails(i) + 1 }

//go:noinline
func guarded(i int) (result int) {
	defer func() {
		if recover() != nil {
			result = -1
		}
	}()
	return between(i)
}

func panics() {
	all(4, func(int) {
		for i := 0; i < 100; i++ {
			guarded(i)
			runtime.Gosched()
		}
	})
	say("guarded 400 fails 400 returned 200")
}

//go:noinline
func begin(i int) int { return i + 1 }

//go:noinline
func finish(i int) int { return i + 2 }

// Of each two goroutines the first ends between begin and finish, and the second
// only finishes: on a descriptor that the first has used.
func ends() {
	for i := 0; i < 50; i++ {
		all(1, func(i int) {
			begin(i)
			runtime.Goexit()
		})
		all(1, func(i int) { finish(i) })
	}
	all(10, func(i int) {
		begin(i)
		nap()
		finish(i)
	})
	say("begin 60 finish 60 both 10")
}

//go:noinline
func answer(from, to chan int) {
	to <- <-from + 1
}

func pingpong() {
	all(3, func(int) {
		ping, pong := make(chan int), make(chan int)
		answered := make(chan bool)

		go func() {
			for i := 0; i < 200; i++ {
				answer(ping, pong)
			}
			answered <- true
		}()
		for i := 0; i < 200; i++ {
			ping <- i
			if <-pong != i+1 {
				panic("wrong answer")
			}
		}
		<-answered
	})
	say("answer 600")
}

// work has a frame, so it begins with a check of the stack, which fails whenever
// another goroutine wants to run or to stop the world.
//
//go:noinline
func work(h int) int {
	var filler [9]int

	filler[h%9&7] = h
	return filler[h>>3&7] + h*7
}

func busy() {
	stop := make(chan bool)
	stopped := make(chan bool)

	go func() {
		for {
			select {
			case <-stop:
				stopped <- true
				return
			default:
				runtime.GC()
			}
		}
	}()
	all(3, func(i int) {
		for n := 0; n < 10000; n++ {
			i = work(i & 0xffff)
		}
	})
	stop <- true
	<-stopped
	say("work 30000")
}

//go:noinline
func inner(i int) int {
	time.Sleep(time.Duration(1+i%3) * time.Millisecond)
	runtime.Gosched()
	return i + 1
}

// outer calls inner five times; its goroutine may wake up in any thread.
//
//go:noinline
func outer(i int) int {
	sum := 0
	for k := 0; k < 5; k++ {
		sum += inner(i + k)
	}
	return sum
}

func nests() {
	all(6, func(i int) {
		for n := 0; n < 5; n++ {
			outer(i + n)
		}
	})
	say("outer 30 inner 150")
}

func main() {
	runtime.GOMAXPROCS(2)
	switch os.Args[1] {
	case "naps":
		naps()
	case "grow":
		grow()
	case "panics":
		panics()
	case "ends":
		ends()
	case "pingpong":
		pingpong()
	case "nests":
		nests()
	case "busy":
		busy()
	}
}
