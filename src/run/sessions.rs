//! DataFusion's sessions of statements, used again.
//!
//! Each statement has a session of its own, with the snapshot that it reads. A new one is a copy of the connection's, of
//! hundreds of functions by their names, which takes a tenth of what planning a short statement does. So the session of a
//! statement that has been planned is kept for the next one, as long as the connection's is what it was.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use datafusion::execution::session_state::SessionState;
use datafusion::prelude::SessionContext;
use parking_lot::Mutex;

/// Copies of a connection's session.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    /// Of an earlier statement, without its snapshot.
    spare: Mutex<Option<SessionState>>,
    /// That of statements that are planned once.
    kept: Mutex<Option<Arc<SessionState>>>,
    is_handed_out: AtomicBool,
}

impl Sessions {
    /// Somebody may change the connection's session from now on: every statement gets a new copy.
    pub(crate) fn hand_out(&self) {
        self.is_handed_out.store(true, Ordering::SeqCst);
    }

    /// Whether a copy is what a new one would be: nobody but the connection changes its session, of which that is settings
    /// and prepared statements alone; and settings that are held somewhere are never changed in place. Those of the
    /// machine stand beside.
    fn is_as_it_was(&self, context: &SessionContext, state: &SessionState) -> bool {
        let now = context.state_ref();
        !self.is_handed_out.load(Ordering::SeqCst)
            && Arc::ptr_eq(now.read().config_options(), state.config_options())
            && Arc::ptr_eq(now.read().runtime_env(), state.runtime_env())
    }

    /// The session of a statement that begins.
    pub(crate) fn begin(&self, context: &SessionContext) -> SessionState {
        let spare = self.spare.lock().take();
        match spare {
            Some(mut spare) if self.is_as_it_was(context, &spare) => {
                spare.mark_start_execution();
                spare
            }
            _ => context.state(),
        }
    }

    /// Takes the session of a statement that has been planned.
    pub(crate) fn spare(&self, context: &SessionContext, mut state: SessionState) {
        if self.is_as_it_was(context, &state) {
            // The statement's snapshot is part of it.
            *state.config_mut() = context.copied_config();
            *self.spare.lock() = Some(state);
        }
    }

    /// A session without a snapshot, the same one as long as nothing is changed.
    pub(crate) fn kept(&self, context: &SessionContext) -> Arc<SessionState> {
        let mut kept = self.kept.lock();
        match kept.as_ref() {
            Some(session) if self.is_as_it_was(context, session) => Arc::clone(session),
            _ => {
                let session = Arc::new(context.state());
                *kept = Some(Arc::clone(&session));
                session
            }
        }
    }
}
