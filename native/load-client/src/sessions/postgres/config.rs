//! How a session connects: from the endpoint's URL and its options.

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

use crate::error::{Error, Result};
use crate::plan::Endpoint;
use crate::sessions::tls::{Tls, TlsParameters};

const CONNECT_MAX: Duration = Duration::from_secs(5);

/// The server's address, our user, and the session's requested settings.
pub(super) struct PostgresConfig {
    pub(super) hosts: Vec<(String, u16)>,
    pub(super) user: String,
    pub(super) password: Option<Vec<u8>>,
    pub(super) parameters: Vec<(&'static str, String)>,
    pub(super) connect_max: Duration,
    pub(super) calls: CallOptions,
    /// None for plain text.
    pub(super) tls: Option<Tls>,
}

/// How calls are sent.
#[derive(Clone, Default)]
pub(super) struct CallOptions {
    pub(super) protocol: Protocol,
    /// By operation.
    pub(super) statements: BTreeMap<String, String>,
    /// The statements of simple queries, by operation.
    pub(super) texts: BTreeMap<String, Vec<Piece>>,
    /// Whether operations are sent in batches.
    pub(super) batches: bool,
}

/// How a statement and its values reach the server.
#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Protocol {
    /// Parsed once under a name.
    #[default]
    Prepared,
    /// Parsed for each call, with the values beside it.
    Extended,
    /// One text with the values in it.
    Simple,
}

/// A part of a simple query.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Piece {
    Text(String),
    /// The place of a parameter, from 0.
    Parameter(usize),
}

impl PostgresConfig {
    /// The error names the field of the plan.
    pub(super) fn of(endpoint: &Endpoint) -> Result<Self> {
        let mut application_name = None;
        let mut calls = CallOptions::default();
        for (name, value) in &endpoint.options {
            match (name.as_str(), value.as_str()) {
                ("applicationName", Some(text)) => application_name = Some(text),
                ("applicationName", None) => {
                    return Err(Error::plan("plan.endpoint.options.applicationName", "expected a string"));
                }
                // An option for the Node client, ignored here.
                ("codec", _) => {}
                ("protocol", _) => {
                    calls.protocol = option(name, value, "prepared, extended or simple")?;
                }
                ("batches", _) => calls.batches = option(name, value, "true or false")?,
                ("statements", _) => calls.statements = option(name, value, "SQL by operation")?,
                ("texts", _) => calls.texts = option(name, value, "pieces of SQL by operation")?,
                _ => {
                    let reason = format!(
                        "postgres has no option {name:?}; it has applicationName, batches, protocol, statements, texts"
                    );
                    return Err(Error::plan("plan.endpoint.options", reason));
                }
            }
        }
        let (url, parameters) = apart(&endpoint.url);
        let tls = Tls::of(&parameters).map_err(|reason| Error::plan("plan.endpoint.url", reason))?;
        let url: Config = url.parse().map_err(|error| {
            Error::plan("plan.endpoint.url", format!("no PostgreSQL URL: {}", with_causes(&error)))
        })?;
        Ok(Self { calls, tls, ..Self::new(&url, application_name)? })
    }

    fn new(url: &Config, application_name: Option<&str>) -> Result<Self> {
        let no_user = || Error::plan("plan.endpoint.url", "it names no user");
        let user = url.get_user().ok_or_else(no_user)?.to_owned();
        let database = url.get_dbname().unwrap_or(&user).to_owned();
        let mut parameters = vec![("user", user.clone()), ("database", database)];
        // As in the twin, the URL's own options come first.
        if let Some(name) = url.get_application_name().or(application_name) {
            parameters.push(("application_name", name.to_owned()));
        }
        if let Some(options) = url.get_options() {
            parameters.push(("options", options.to_owned()));
        }
        parameters.push(("client_encoding", "UTF8".to_owned()));
        let port_of = |index: usize| match url.get_ports() {
            [] => 5432,
            [one] => *one,
            ports => ports.get(index).copied().unwrap_or(5432),
        };
        let hosts = url.get_hosts().iter().enumerate().map(|(index, host)| match host {
            Host::Tcp(name) => Ok((name.clone(), port_of(index))),
            #[cfg(unix)]
            Host::Unix(_) => {
                Err(Error::plan("plan.endpoint.url", "the native client connects by TCP; name a host"))
            }
        });
        Ok(Self {
            hosts: hosts.collect::<Result<_>>()?,
            user,
            password: url.get_password().map(<[u8]>::to_vec),
            parameters,
            connect_max: url.get_connect_timeout().copied().unwrap_or(CONNECT_MAX),
            calls: CallOptions::default(),
            tls: None,
        })
    }
}

/// A URL without what it says of encryption, and that. `uselibpqcompat` says how the Node client reads `sslmode`.
fn apart(url: &str) -> (String, TlsParameters) {
    let mut parameters = TlsParameters::default();
    let Some((before, query)) = url.split_once('?') else { return (url.to_owned(), parameters) };
    let mut others = Vec::new();
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = || Some(percent_decode_str(value).decode_utf8_lossy().into_owned());
        match name {
            "sslmode" => parameters.mode = value(),
            "sslrootcert" => parameters.authority = value(),
            "sslcert" => parameters.certificate = value(),
            "sslkey" => parameters.key = value(),
            "uselibpqcompat" => {}
            _ => others.push(pair),
        }
    }
    let separator = if others.is_empty() { "" } else { "?" };
    (format!("{before}{separator}{}", others.join("&")), parameters)
}

fn option<T: DeserializeOwned>(name: &str, value: &Value, expected: &str) -> Result<T> {
    serde_json::from_value(value.clone()).map_err(|error| {
        Error::plan(format!("plan.endpoint.options.{name}"), format!("expected {expected}: {error}"))
    })
}

/// An error and its causes on one line.
fn with_causes(error: &dyn StdError) -> String {
    let mut reason = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        reason = format!("{reason}: {error}");
        cause = error.source();
    }
    reason
}

#[cfg(test)]
#[path = "tests/config.rs"]
mod tests;
