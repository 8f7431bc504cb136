// SPDX-License-Identifier: GPL-2.0-or-later
//! Rust whose stacks the tracer takes: trait objects, closures, collections, formatting, a panic, a thread.
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::hint::black_box;

trait Shape {
    fn area(&self, n: i64) -> i64;
}

struct Square;
struct Sum(Vec<Box<dyn Shape>>);

impl Shape for Square {
    #[inline(never)]
    fn area(&self, n: i64) -> i64 {
        n * n
    }
}

impl Shape for Sum {
    #[inline(never)]
    fn area(&self, n: i64) -> i64 {
        self.0.iter().map(|part| part.area(n)).sum()
    }
}

#[inline(never)]
fn recurse(n: i64) -> i64 {
    if n == 0 {
        black_box(1)
    } else {
        recurse(n - 1) + apply(&|m| m * 3, n)
    }
}

#[inline(never)]
fn apply(function: &dyn Fn(i64) -> i64, n: i64) -> i64 {
    function(n) + 1
}

#[inline(never)]
fn containers(n: i64) -> i64 {
    let mut map = HashMap::new();
    let mut tree = BTreeMap::new();
    let mut numbers = Vec::new();
    for i in 0..4 {
        map.insert(i * n % 7, i);
        tree.insert(format!("key{}", i * n % 11), i);
        numbers.push(i * 31 % (n + 5));
    }
    numbers.sort_by(|a, b| b.cmp(a));
    map.values().sum::<i64>() + tree.values().sum::<i64>() + numbers[0]
}

#[inline(never)]
fn text(n: i64) -> usize {
    let mut out = String::new();
    write!(out, "{} {:.3} {:?}", n, n as f64 / 7.0, Some(n)).unwrap();
    out.split(' ').filter(|word| word.parse::<i64>().is_ok()).count()
}

#[inline(never)]
fn fails(n: i64) -> i64 {
    let numbers = [1, 2, 3];
    numbers[black_box(n as usize)]
}

fn work(n: i64) {
    let all = Sum(vec![Box::new(Square), Box::new(Square)]);
    black_box(all.area(n) + recurse(n % 5) + containers(n));
    black_box(text(n));
    let _ = black_box(std::panic::catch_unwind(|| fails(n)));
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    for i in 1..3 {
        work(i);
    }
    std::thread::spawn(|| work(7)).join().unwrap();
}
