// SPDX-License-Identifier: GPL-2.0-or-later
// For debug_forms.test: a program of two crates, itself and crate.rs.
use library::deep::{far_work, form_generic, near};

#[inline(never)]
fn form_work(n: u32) -> u64 {
    let numbers: Vec<u32> = (0..n).collect();
    form_generic(&numbers) + near(n as u64)
}

fn main() {
    let n = std::env::args().count() as u32;
    let numbers: Vec<u64> = (0..n as u64).map(|n| n * 3).collect();
    println!("{} {}", form_work(n), far_work(&numbers));
}
