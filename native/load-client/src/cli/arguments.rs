//! Options and what they accept.

use std::time::Duration;

use clap::{Args, Parser};

const ABOUT: &str = "\
The native load client of Fair Bench.

Without a subcommand it speaks the load-client protocol: a trial plan by standard input, or from the file of
--plan, and events and one trial result out (packages/load-client/PROTOCOL.md). The subcommands are for use by
hand: `seed` makes the accounts in a PostgreSQL database, `bench` sends transfers and checks every balance
afterwards.";

const EXAMPLES: &str = "\
Examples:
  native seed  --url postgres://USER:PASSWORD@127.0.0.1:5432/DATABASE --accounts 100000
  native bench --url postgres://USER:PASSWORD@127.0.0.1:5432/DATABASE --sessions 50 --depth 32 --alpha 0.5
  native bench --url http://127.0.0.1:4101 --balances-url postgres://USER:PASSWORD@127.0.0.1:5432/DATABASE

A session can be given settings: append ?options=-c%20synchronous_commit%3Doff to a PostgreSQL URL.";

#[derive(Parser)]
#[command(name = "native", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 110)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) subcommand: Subcommand,
}

#[derive(clap::Subcommand)]
pub(crate) enum Subcommand {
    /// Makes schema fair_bench with its accounts and the transfer function, anew
    Seed(SeedArguments),
    /// Sends transfers for a while; prints throughput and latency, if every balance is what it should be
    #[command(after_help = EXAMPLES)]
    Bench(BenchArguments),
}

#[derive(Args)]
pub(crate) struct SeedArguments {
    /// The database, as postgres://USER:PASSWORD@HOST:PORT/DATABASE
    #[arg(long)]
    pub(crate) url: String,
    /// How many accounts
    #[arg(long, default_value_t = 100_000, value_parser = accounts)]
    pub(crate) accounts: u64,
    /// What each account holds at first
    #[arg(long, default_value_t = 1_000_000_000, value_parser = clap::value_parser!(u64).range(0..=i64::MAX as u64))]
    pub(crate) initial_balance: u64,
}

#[derive(Args)]
pub(crate) struct BenchArguments {
    /// The target: postgres://… for PostgreSQL itself, http://HOST:PORT for an RPC server
    #[arg(long)]
    pub(crate) url: String,
    /// Where the balances are read when --url is an RPC server: its database, as postgres://…
    #[arg(long)]
    pub(crate) balances_url: Option<String>,
    /// Connections
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) sessions: u32,
    /// The most transfers that a session has outstanding
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(crate) depth: u32,
    /// Load threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) threads: u32,
    /// How long to measure: 10s, 500ms
    #[arg(long, default_value = "10s", value_parser = duration)]
    pub(crate) duration: Duration,
    /// How long to warm up before
    #[arg(long, default_value = "5s", value_parser = duration)]
    pub(crate) warmup: Duration,
    /// Exponent of the Zipf distribution of accounts; 0 is uniform
    #[arg(long, default_value_t = 0.5, value_parser = alpha)]
    pub(crate) alpha: f64,
    /// Transfers a second over all sessions, timed from when they were due; without it, as many as there are answers
    #[arg(long, value_parser = rate)]
    pub(crate) rate: Option<f64>,
    /// How many accounts there are
    #[arg(long, default_value_t = 100_000, value_parser = accounts)]
    pub(crate) accounts: u64,
    /// Decides every transfer
    #[arg(long, default_value_t = 42)]
    pub(crate) seed: u64,
}

fn accounts(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|accounts| (2..=1 << 32).contains(accounts));
    number.ok_or_else(|| "accepts a whole number from 2 to 2^32".to_owned())
}

fn duration(text: &str) -> Result<Duration, String> {
    const DAY: Duration = Duration::from_secs(86_400);
    let duration = humantime::parse_duration(text).ok();
    let fits = duration.filter(|duration| (Duration::from_millis(1)..=DAY).contains(duration));
    fits.ok_or_else(|| "accepts a time with its unit from 1ms to 1d, such as 10s or 500ms".to_owned())
}

fn alpha(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|alpha| (0.0..=32.0).contains(alpha));
    number.ok_or_else(|| "accepts a number from 0 to 32".to_owned())
}

fn rate(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate > 0.0);
    number.ok_or_else(|| "accepts a number above 0".to_owned())
}
