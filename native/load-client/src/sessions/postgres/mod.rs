//! PostgreSQL's own protocol: prepared operations, one Bind, Execute and Sync per call, so that each is its own
//! transaction; or the same by simple queries, or parsed for each call. The messages come from the crate under `tokio-postgres`; a call through its client costs a channel, a
//! future and several allocations, which a load client should not spend.

mod batch;
mod call;
mod codec;
mod config;
mod fault;
mod handshake;
mod reply;
mod text;

use std::rc::Rc;
use std::sync::Arc;

use fair_bench_workload::Workload;

use super::pipelined::Pipelined;
use super::reconnecting::Reconnecting;
use super::session::{Connected, Connector, LocalFuture};
use crate::error::Result;
use crate::plan::Endpoint;
use codec::PostgresCodec;
use config::PostgresConfig;

/// For endpoints with the options `applicationName`, `protocol`, `statements` and `texts`.
pub(super) fn connector(endpoint: &Endpoint, workload: &Arc<Workload>) -> Box<dyn Connector> {
    Box::new(Postgres { endpoint: endpoint.clone(), workload: Arc::clone(workload) })
}

struct Postgres {
    endpoint: Endpoint,
    workload: Arc<Workload>,
}

impl Connector for Postgres {
    fn connect(&self, _depth: u32) -> LocalFuture<Connected> {
        let (config, workload) = (PostgresConfig::of(&self.endpoint), Arc::clone(&self.workload));
        Box::pin(async move {
            let config = Rc::new(config?);
            let open = Rc::new(move || -> LocalFuture<Result<Pipelined<PostgresCodec>>> {
                let (config, workload) = (Rc::clone(&config), Arc::clone(&workload));
                Box::pin(async move { handshake::open(&config, &workload).await })
            });
            Reconnecting::connect(open).await
        })
    }

    fn has_batches(&self) -> bool {
        true
    }
}
