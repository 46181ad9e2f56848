//! SpacetimeDB: reducer calls over one WebSocket for each session.
//!
//! To be filled in: `pub fn connector(endpoint: &Endpoint) -> Result<Box<dyn Connector>, String>` over the
//! crate `fair-bench-spacetimedb-wire`, and its line in `PROTOCOLS`.
