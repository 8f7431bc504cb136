// SPDX-License-Identifier: GPL-2.0-or-later
// For debug_forms.test: modules, so that it is compiled as several units.
use std::hint::black_box;

mod near {
    #[inline(always)]
    pub fn inner(n: u64) -> u64 {
        std::hint::black_box(n * 3)
    }

    #[inline(never)]
    pub fn same_name(n: u64) -> u64 {
        inner(n) + inner(n + 1)
    }
}

mod far {
    pub struct Counter {
        pub sum: u64,
    }

    impl Counter {
        #[inline(never)]
        pub fn add<T: Into<u64>>(&mut self, n: T) -> u64 {
            self.sum += super::near::inner(n.into());
            self.sum
        }
    }

    #[inline(never)]
    pub fn same_name(n: u64) -> u64 {
        let mut counter = Counter { sum: n };
        counter.add(n as u32) + super::near::same_name(n)
    }
}

#[inline(never)]
#[no_mangle]
pub extern "C" fn form_work(n: u64) -> u64 {
    let adder = |m: u64| near::inner(m) + n;
    black_box(adder(n)) + far::same_name(n)
}

fn main() {
    let n = std::env::args().count() as u64;
    println!("{}", form_work(n) + near::same_name(n));
}
