//! The native load client: a trial plan in, events and one trial result out. The protocol is
//! `packages/load-client/PROTOCOL.md`; the twin for Node is `packages/load-client`.

pub mod clock;
pub mod counts;
pub mod engine;
pub mod error;
pub mod histogram;
pub mod input;
pub mod outcome;
pub mod output;
pub mod plan;
pub mod process;
pub mod program;
pub mod recorder;
pub mod recording;
pub mod sessions;
pub mod trial;
