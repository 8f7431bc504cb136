// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Rust program with known stacks. The protocol and the CHAIN comments are those of workload.c;
 * chains are given for both manglings, legacy (its hash is dropped) and v0.
 */
use std::arch::asm;
use std::io::{Read, Write};
use std::os::raw::c_long;

extern "C" {
    fn clock() -> c_long; /* CPU time, in millionths of a second */
}

/* That of std::hint, which Rust has since 1.66: whatever happens to the value, the compiler does not know it. */
#[inline(always)]
fn black_box<T>(value: T) -> T {
    unsafe { asm!("/* {0} */", in(reg) &value, options(nostack, preserves_flags)) }
    value
}

#[no_mangle]
#[inline(never)]
pub extern "C" fn probe_point() {
    unsafe { asm!("mov eax, 110; syscall; nop", out("rax") _, out("rcx") _, out("r11") _) } /* AT probe */
}

mod geometry {
    use crate::black_box;

    pub struct Square {
        pub side: u32,
    }

    impl Square {
        /* CHAIN legacy 6
         *   workload::main @main_run
         *   workload::run_chains @run_method
         *   workload::chain_method @chain_method
         *   workload::geometry::Square::scale @scale inlined
         *   workload::geometry::Square::grow @grow
         *   probe_point @probe
         */
        /* CHAIN v0 6
         *   workload::main @main_run
         *   workload::run_chains @run_method
         *   workload::chain_method @chain_method
         *   <workload::geometry::Square>::scale @scale inlined
         *   <workload::geometry::Square>::grow @grow
         *   probe_point @probe
         */
        #[inline(always)]
        pub fn scale(&mut self, by: u32) {
            black_box(by);
            self.grow(by); /* AT scale */
            black_box(by);
        }

        #[inline(never)]
        pub fn grow(&mut self, by: u32) {
            self.side = black_box(self.side + by);
            crate::probe_point(); /* AT grow */
            black_box(by);
        }
    }
}

#[inline(never)]
fn chain_method(square: &mut geometry::Square, by: u32) {
    square.scale(by); /* AT chain_method */
    black_box(by);
}

#[inline(never)]
fn leaf(n: u32) {
    probe_point(); /* AT leaf */
    black_box(n);
}

#[inline(always)]
fn apply<F: Fn(u32)>(f: F, n: u32) {
    f(n); /* AT apply */
    black_box(n);
}

/* CHAIN legacy 4
 *   workload::main @main_run
 *   workload::run_chains @run_closure
 *   workload::chain_closure @chain_closure
 *   workload::apply @apply inlined
 *   workload::chain_closure::{{closure}} @closure inlined
 *   workload::leaf @leaf
 *   probe_point @probe
 */
/* CHAIN v0 4
 *   workload::main @main_run
 *   workload::run_chains @run_closure
 *   workload::chain_closure @chain_closure
 *   workload::apply::<workload::chain_closure::{closure#0}> @apply inlined
 *   workload::chain_closure::{closure#0} @closure inlined
 *   workload::leaf @leaf
 *   probe_point @probe
 */
#[inline(never)]
fn chain_closure(n: u32) {
    let each = |m: u32| {
        black_box(m);
        leaf(m); /* AT closure */
        black_box(m);
    };
    apply(each, n); /* AT chain_closure */
    black_box(n);
}

#[inline(never)]
fn run_chains() {
    let mut square = geometry::Square { side: 1 };

    for i in 0..6 {
        chain_method(&mut square, i); /* AT run_method */
    }
    for i in 0..4 {
        chain_closure(i); /* AT run_closure */
    }
    black_box(square.side);
}

#[inline(never)]
fn spin_leaf(mut n: u64) {
    unsafe { asm!("2: dec {}; jnz 2b", inout(reg) n) }; /* AT spin_leaf */
    black_box(n);
}

#[inline(always)]
fn spin_inline() {
    spin_leaf(20000000); /* AT spin_inline */
    black_box(0);
}

/* CHAIN spin 1
 *   workload::main @main_spin
 *   workload::run_spin @run_spin
 *   workload::spin_inline @spin_inline inlined
 *   workload::spin_leaf @spin_leaf
 */
#[inline(never)]
fn run_spin() {
    while unsafe { clock() } < 1_000_000 {
        spin_inline(); /* AT run_spin */
    }
}

fn main() {
    let mut byte = [0u8; 1];

    std::io::stdin().read_exact(&mut byte).expect("no byte on stdin");
    if std::env::args().nth(1).as_deref() == Some("spin") {
        run_spin(); /* AT main_spin */
    } else {
        run_chains(); /* AT main_run */
    }
    std::io::stdout().write_all(&byte).expect("no stdout");
    std::io::stdout().flush().expect("no stdout");
    let _ = std::io::stdin().read(&mut byte);
}
