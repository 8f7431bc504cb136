// SPDX-License-Identifier: GPL-2.0-or-later
// Go whose stacks the tracer takes: leaves with frames and without, closures, interfaces, panics, the library.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strings"
)

var sink uint64

//go:noinline
func leaf(n uint64) uint64 {
	return n*3 + 1
}

//go:noinline
func loop(n uint64) (sum uint64) {
	for i := uint64(0); i < n%9+2; i++ {
		sum += i * n
	}
	return sum
}

//go:noinline
func framed(n uint64) uint64 {
	var table [16]uint64
	for i := range table {
		table[i] = n << uint(i)
	}
	return table[n%16] + leaf(n)
}

type worker interface{ work(n uint64) uint64 }
type one struct{}
type two struct{ by uint64 }

//go:noinline
func (one) work(n uint64) uint64 { return leaf(n) + loop(n) }

//go:noinline
func (t *two) work(n uint64) uint64 { return t.by * framed(n) }

//go:noinline
func recurse(n uint64, w worker) uint64 {
	if n == 0 {
		return loop(3)
	}
	return recurse(n-1, w) + w.work(n)
}

//go:noinline
func caught(n int) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("caught")
		}
	}()
	numbers := make([]int, 3)
	return fmt.Errorf("%d", numbers[n])
}

//go:noinline
func text(n int) int {
	words := strings.Fields(fmt.Sprintf("%d %s %.3f %x", n, "word", float64(n)/7, n*n))
	sort.Slice(words, func(a, b int) bool { return words[a] < words[b] })
	counts := map[string]int{}
	for _, word := range words {
		counts[strings.ToUpper(word)] += len(word)
	}
	return len(counts) + strings.Index(strings.Join(words, ","), "wor")
}

func init() {
	runtime.LockOSThread()
}

func main() {
	workers := []worker{one{}, &two{3}}
	for i := 0; i < 12; i++ {
		sink += recurse(uint64(i), workers[i%2]) + uint64(text(i))
		if caught(i) != nil {
			sink++
		}
	}
	fmt.Fprintln(os.Stderr, sink)
}
