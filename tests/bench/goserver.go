// An HTTP server, each connection a goroutine, that counts its requests and the
// time that it takes for them by its own clock. /count tells.
package main

import (
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

var served, nanoseconds int64

//go:noinline
func work(path string) int {
	start := time.Now()
	sum := 0
	for i := 0; i < 2000; i++ {
		sum += i ^ len(path)
	}
	time.Sleep(time.Millisecond)
	atomic.AddInt64(&nanoseconds, int64(time.Since(start)))
	atomic.AddInt64(&served, 1)
	return sum
}

func main() {
	http.HandleFunc("/count", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%d %d\n", atomic.LoadInt64(&served), atomic.LoadInt64(&nanoseconds))
	})
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, work(r.URL.Path))
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr())
	panic(http.Serve(listener, nil))
}
