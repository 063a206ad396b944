//! A queue.

use std::collections::VecDeque;

pub const LIMIT: usize = 100;
static NAME: &str = "two  words";

/// A queue of items.
///
/// It never blocks.
#[derive(Debug, Clone)]
pub struct Queue<T> {
    items: VecDeque<T>,
    pub limit: usize,
}

pub type Items<'a, T> = &'a [T];

#[derive(Debug)]
// Where it failed.
pub enum Error {
    Full,
    Closed { reason: String },
}

pub trait Sink {
    type Item;
    const SIZE: usize = 1;

    fn push(&mut self, item: Self::Item) -> Result<(), Error>;

    fn flush(&mut self) {}
}

impl<T> Queue<T> {
    /// Makes one.
    #[must_use]
    pub fn new() -> Self {
        fn inner() -> usize {
            1
        }
        Queue { items: VecDeque::new(), limit: inner() }
    }
}

impl<T> Sink for Queue<T> {
    type Item = T;

    fn push(&mut self, item: T) -> Result<(), Error> {
        self.items.push_back(item);
        Ok(())
    }
}

macro_rules! queue {
    ($($x:expr),*) => { Queue::from(vec![$($x),*]) };
}

union Bits {
    int: u32,
    float: f32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] fn pushes() {
        let mut queue = Queue::new();
        assert!(queue.push(1).is_ok());
    }
}

extern "C" {
    fn strlen(s: *const u8) -> usize;
}
