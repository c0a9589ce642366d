//! A stack large enough to parse and plan every statement that [`super::guard`] lets through.
//!
//! Parsing, planning and dropping an expression recurse as deep as the expression is nested; 2,000 terms of `OR`
//! do not fit into the 2 MiB of a worker thread. The stack is mapped for the call and touched only as far as it is
//! used, so a small statement pays for one `mmap`.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Bytes of stack for parsing and planning.
pub const STACK_SIZE: usize = 256 << 20;

/// A caller that has this much left is on a large stack already.
const ENOUGH: usize = STACK_SIZE / 2;

/// Runs `work` on a stack of [`STACK_SIZE`] bytes, on the calling thread.
pub fn on_large_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(ENOUGH, STACK_SIZE, work)
}

/// A future that is polled on a stack of [`STACK_SIZE`] bytes, for planning, which awaits the catalog.
///
/// It stays on the thread that polls it and within its runtime, may borrow, and is cancelled by dropping it.
pub fn large_stack<F: Future>(future: F) -> LargeStack<F> {
    LargeStack(Box::pin(future))
}

/// See [`large_stack`].
#[derive(Debug)]
pub struct LargeStack<F>(Pin<Box<F>>);

impl<F: Future> Future for LargeStack<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        on_large_stack(|| self.0.as_mut().poll(context))
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

    #[test]
    fn a_nested_call_keeps_the_stack_it_has() {
        let left = on_large_stack(|| on_large_stack(stacker::remaining_stack));
        assert!(left.is_some_and(|bytes| bytes > ENOUGH && bytes < STACK_SIZE + (1 << 20)));
    }
}
