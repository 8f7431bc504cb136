// SPDX-License-Identifier: GPL-2.0-or-later
// For debug_forms.test: a library, whose functions are also inlined and instantiated elsewhere.
pub mod deep {
    #[inline(always)]
    fn mix(n: u64, m: u64) -> u64 {
        n.wrapping_mul(m) ^ (n >> 3)
    }

    #[inline(never)]
    pub fn far_work(numbers: &[u64]) -> u64 {
        numbers.iter().fold(1, |sum, &n| mix(sum, n))
    }

    #[inline]
    pub fn near(n: u64) -> u64 {
        mix(n, 7) + 1
    }

    #[inline(never)]
    pub fn form_generic<T: Into<u64> + Copy>(numbers: &[T]) -> u64 {
        numbers.iter().map(|n| near((*n).into())).sum()
    }
}
