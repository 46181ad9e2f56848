//! The benchmark's `SpacetimeDB` module: one file per workload, each with its tables and reducers.
//!
//! A reducer that returns an error changes nothing. The error's text is a [`refusal::Refusal`], in which a
//! business rule's "no" and a fault can be told apart for certain.

mod refusal;
mod transfer;
