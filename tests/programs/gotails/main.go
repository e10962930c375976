// gotails - functions of a Go program that end in jumps to others. It says how
// often each was called.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

var leaves, sleeps, grows int64

// jumps_amd64.s: each jumps to the function that its name begins with.
func leafJump(n int) int
func sleepJump(n int) int
func growJump(n int) int

//go:noinline
func leaf(n int) int {
	atomic.AddInt64(&leaves, 1)
	return n + 1
}

// It wakes up in any thread.
//
//go:noinline
func sleep(n int) int {
	atomic.AddInt64(&sleeps, 1)
	time.Sleep(2 * time.Millisecond)
	return n
}

//go:noinline
func deep(n int) int {
	var room [64]int

	if n == 0 {
		return 0
	}
	room[n%64] = n
	return deep(n-1) + room[n%64]
}

// Its stack is copied while the frame that was jumped from is waited for.
//
//go:noinline
func grow(n int) int {
	atomic.AddInt64(&grows, 1)
	return deep(n)
}

func work(sum *int64) {
	for i := 0; i < 100; i++ {
		atomic.AddInt64(sum, int64(leafJump(i)))
	}
	for i := 0; i < 5; i++ {
		atomic.AddInt64(sum, int64(sleepJump(i)))
	}
	atomic.AddInt64(sum, int64(growJump(300)))
}

func main() {
	var group sync.WaitGroup
	var sum int64

	for g := 0; g < 4; g++ {
		group.Add(1)
		go func() {
			defer group.Done()
			work(&sum)
		}()
	}
	group.Wait()
	fmt.Println("leaf", leaves, "sleep", sleeps, "grow", grows, "sum", sum)
}
