//! PostgreSQL's own protocol: prepared operations, one Bind, Execute and Sync per call, so that each is its own
//! transaction. The messages come from the crate under `tokio-postgres`; a call through its client costs a channel, a
//! future and several allocations, which a load client should not spend.

mod call;
mod codec;
mod config;
mod fault;
mod handshake;
mod reply;

use std::rc::Rc;
use std::sync::Arc;

use fair_bench_workload::Workload;

use super::pipelined::{Opened, Pipelined};
use super::{Connected, Connector, LocalFuture, Session};
use crate::plan::Endpoint;
use codec::PostgresCodec;
pub(crate) use config::PostgresConfig;

/// For endpoints with the option `applicationName`.
pub(super) fn connector(endpoint: &Endpoint, workload: &Arc<Workload>) -> Result<Box<dyn Connector>, String> {
    Ok(Box::new(Postgres { config: PostgresConfig::of(endpoint), workload: Arc::clone(workload) }))
}

struct Postgres {
    config: Result<PostgresConfig, String>,
    workload: Arc<Workload>,
}

impl Connector for Postgres {
    fn connect(&self, _depth: u32) -> LocalFuture<Connected> {
        let (config, workload) = (self.config.clone(), Arc::clone(&self.workload));
        Box::pin(async move {
            let config = Rc::new(config?);
            let open = Rc::new(move || -> LocalFuture<Opened<PostgresCodec>> {
                let (config, workload) = (Rc::clone(&config), Arc::clone(&workload));
                Box::pin(async move { handshake::open(&config, &workload).await })
            });
            let session = Pipelined::connect(open).await.map_err(|refusal| refusal.reason)?;
            Ok(Box::new(session) as Box<dyn Session>)
        })
    }
}
