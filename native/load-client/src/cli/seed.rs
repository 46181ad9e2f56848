//! `native seed`

use tokio_postgres::Client;

use super::Failure;
use super::arguments::SeedArguments;
use super::database::{failure, with_client};
use crate::plan::without_credentials;

/// The very files that the Node side reads.
const CREATE_ACCOUNTS: &str = include_str!("../../../../packages/postgres/src/sql/create-accounts.sql");
const TRANSFER_FUNCTION: &str = include_str!("../../../../packages/postgres/src/sql/transfer-function.sql");
/// As `create-accounts.sql` has it.
const COMMENT: &str = "Made by Fair Bench, which drops it.";

pub(super) fn seed(arguments: &SeedArguments) -> Result<String, Failure> {
    let SeedArguments { url, accounts, initial_balance } = arguments;
    with_client(url, async |client| {
        drop_objects(client, url).await?;
        let work = async {
            // One transaction: nobody sees the table empty.
            let transaction = client.transaction().await?;
            transaction.batch_execute(CREATE_ACCOUNTS).await?;
            transaction.batch_execute(TRANSFER_FUNCTION).await?;
            let fill = format!(
                "INSERT INTO fair_bench.accounts \
                 SELECT id, {initial_balance} FROM generate_series(0::bigint, {accounts}::bigint - 1) AS id"
            );
            transaction.batch_execute(&fill).await?;
            transaction.commit().await?;
            client.batch_execute("VACUUM (ANALYZE) fair_bench.accounts").await
        };
        work.await.map_err(|error| failure(&error, url))
    })?;
    let shown = without_credentials(url);
    Ok(format!("{shown}: {accounts} accounts of {initial_balance} each in fair_bench.accounts"))
}

/// Drops what an earlier seeding made, and nothing else.
async fn drop_objects(client: &Client, url: &str) -> Result<(), Failure> {
    let query = "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = 'fair_bench'";
    let found = client.query_opt(query, &[]).await.map_err(|error| failure(&error, url))?;
    let Some(row) = found else { return Ok(()) };
    if row.get::<_, Option<&str>>(0) != Some(COMMENT) {
        return Err(Failure::Failed(
            "a schema fair_bench that is not ours is in this database; rename it, or name another database"
                .to_owned(),
        ));
    }
    let dropped = client.batch_execute("SET lock_timeout = 10000; DROP SCHEMA fair_bench CASCADE").await;
    dropped.map_err(|error| failure(&error, url))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_that_of_the_shared_file() {
        assert!(CREATE_ACCOUNTS.contains(&format!("IS '{COMMENT}'")));
    }
}
