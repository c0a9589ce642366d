//! A stack large enough to parse and plan every statement that `super::limits::guard` lets through.
//!
//! Parsing, planning and dropping an expression recurse as deep as the expression is nested; 2,000 terms of `OR`
//! do not fit into the 2 MiB of a worker thread. The stack is mapped for the call and touched only as far as it is
//! used; but mapping it, and each page that is touched for the first time, costs a fifth of what planning a short
//! statement does. So a statement that is not nested ([`Depth::Shallow`]) stays on the stack that it is on, if that has
//! room.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Bytes of stack for parsing and planning.
pub const STACK_SIZE: usize = 256 << 20;

/// How deep a statement is nested, and so how deep whoever works on it recurses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// A few levels: half of the stack that a thread has by default is enough.
    Shallow,
    /// As deep as `super::limits::guard` allows.
    Deep,
}

impl Depth {
    /// A caller that has this much left needs no other stack.
    const fn enough(self) -> usize {
        match self {
            Self::Shallow => 1 << 20,
            Self::Deep => STACK_SIZE / 2,
        }
    }
}

/// Runs `work`, which goes so deep, on the calling thread: on a stack of [`STACK_SIZE`] bytes where its own is too small.
pub fn on_stack_for<T>(depth: Depth, work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(depth.enough(), STACK_SIZE, work)
}

/// Runs `work` on a stack of [`STACK_SIZE`] bytes, on the calling thread.
pub fn on_large_stack<T>(work: impl FnOnce() -> T) -> T {
    on_stack_for(Depth::Deep, work)
}

/// A future that is polled on a stack of [`STACK_SIZE`] bytes, for planning, which awaits the catalog.
///
/// It stays on the thread that polls it and within its runtime, may borrow, and is cancelled by dropping it.
pub fn large_stack<F: Future>(future: F) -> LargeStack<F> {
    stack_for(Depth::Deep, future)
}

/// As [`large_stack`], for a future that goes so deep.
pub fn stack_for<F: Future>(depth: Depth, future: F) -> LargeStack<F> {
    LargeStack {
        depth,
        future: Box::pin(future),
    }
}

/// See [`large_stack`].
#[derive(Debug)]
pub struct LargeStack<F> {
    depth: Depth,
    future: Pin<Box<F>>,
}

impl<F: Future> Future for LargeStack<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        on_stack_for(self.depth, || self.future.as_mut().poll(context))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(n: usize) -> usize {
        let frame = std::hint::black_box([n as u8; 1024]);
        if n == 0 {
            return frame[0] as usize;
        }
        1 + depth(n - 1)
    }

    #[test]
    fn a_small_thread_recurses_deep_on_the_large_stack() {
        let small = std::thread::Builder::new().stack_size(128 << 10);
        let joined = small
            .spawn(|| on_large_stack(|| depth(100_000)))
            .map(|thread| thread.join());
        assert_eq!(joined.ok().and_then(Result::ok), Some(100_000));
    }

    #[test]
    fn a_future_awaits_and_borrows_on_the_large_stack() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("runtime");
        let n = 50_000;
        let deep = runtime.block_on(large_stack(async {
            tokio::task::yield_now().await;
            depth(*std::hint::black_box(&n))
        }));
        assert_eq!(deep, n);
    }

    /// What is left of the stack of what is shallow and begins where less than this is left.
    fn left_of_shallow(least: usize) -> Option<usize> {
        let frame = std::hint::black_box([0_u8; 1024]);
        if stacker::remaining_stack()? < least {
            return on_stack_for(Depth::Shallow, stacker::remaining_stack);
        }
        left_of_shallow(least).map(|left| left + usize::from(frame[0]))
    }

    #[test]
    fn what_is_shallow_stays_where_it_is_if_there_is_room() {
        let left = |least| {
            let thread = std::thread::Builder::new().stack_size(2 << 20);
            let left = thread.spawn(move || left_of_shallow(least));
            left.map(|thread| thread.join().ok().flatten())
                .ok()
                .flatten()
        };
        assert!(left(3 << 19).is_some_and(|left| left < 3 << 19));
        assert!(left(1 << 19).is_some_and(|left| left > STACK_SIZE / 2));
    }

    #[test]
    fn a_nested_call_keeps_the_stack_it_has() {
        let left = on_large_stack(|| on_large_stack(stacker::remaining_stack));
        assert!(left.is_some_and(|bytes| bytes > Depth::Deep.enough() && bytes < STACK_SIZE + (1 << 20)));
    }
}
