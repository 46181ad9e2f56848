//! The control plane: what is asked of the database before and after a load.

use std::collections::BTreeMap;
use std::error::Error;

use tokio::runtime::Builder;
use tokio_postgres::{Client, NoTls};

use super::Failure;
use crate::plan::without_credentials;

/// Connects, does the work, and disconnects.
pub(crate) fn with_client<T>(
    url: &str,
    work: impl AsyncFnOnce(&mut Client) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Failed(format!("no runtime: {error}")))?;
    runtime.block_on(async {
        let config: tokio_postgres::Config = url
            .parse()
            .map_err(|error| Failure::BadInput(format!("no PostgreSQL URL: {}", reason_of(&error))))?;
        let (mut client, connection) = config.connect(NoTls).await.map_err(|error| failure(&error, url))?;
        // It ends when the client is dropped; until then its errors are those of the client's calls.
        tokio::spawn(connection);
        work(&mut client).await
    })
}

/// Every balance by account. One statement, so one snapshot.
pub(crate) fn balances(url: &str) -> Result<BTreeMap<i64, i64>, Failure> {
    with_client(url, async |client| {
        let rows = client.query("SELECT id, balance FROM fair_bench.accounts", &[]).await;
        let rows = rows.map_err(|error| failure(&error, url))?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    })
}

/// An error with where it came from.
pub(crate) fn failure(error: &tokio_postgres::Error, url: &str) -> Failure {
    Failure::Failed(format!("{}: {}", without_credentials(url), reason_of(error)))
}

/// An error and its causes on one line.
pub(crate) fn reason_of(error: &dyn Error) -> String {
    let mut reason = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        reason = format!("{reason}: {error}");
        cause = error.source();
    }
    reason
}
