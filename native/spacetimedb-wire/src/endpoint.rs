//! Where a database is.

use tokio_tungstenite::tungstenite::http::Uri;

use crate::error::ConnectError;

/// A database of a server, and how its results are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    host: String,
    port: u16,
    target: String,
}

impl Endpoint {
    /// `url` is the server's, as `http://HOST:PORT`, to which the API's path is added. With `confirmed_reads`
    /// the server holds a result back until its transaction is on disk.
    ///
    /// # Errors
    ///
    /// If the URL is not a valid http URL, and when the database's name is not a name.
    pub fn new(url: &str, database: &str, confirmed_reads: bool) -> Result<Self, ConnectError> {
        let uri: Uri = url.trim_end_matches('/').parse().map_err(|_| ConnectError::Url("is not a URL"))?;
        if !matches!(uri.scheme_str(), Some("http" | "ws")) {
            return Err(ConnectError::Url("has to begin with http://; TLS is not spoken here"));
        }
        let authority = uri.authority().ok_or(ConnectError::Url("has no host"))?;
        if authority.as_str().contains('@') {
            return Err(ConnectError::Url("has a user, which SpacetimeDB does not know"));
        }
        if uri.query().is_some() {
            return Err(ConnectError::Url("has a query, which a server's URL does not"));
        }
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if database.is_empty() || !database.bytes().all(is_name) {
            return Err(ConnectError::Database);
        }
        let path = uri.path().trim_end_matches('/');
        Ok(Self {
            host: authority.host().to_owned(),
            port: authority.port_u16().unwrap_or(80),
            target: format!(
                "{path}/v1/database/{database}/subscribe?compression=None&confirmed={confirmed_reads}"
            ),
        })
    }

    /// What TCP connects to; an IPv6 address without its brackets.
    pub(crate) fn address(&self) -> (&str, u16) {
        (self.host.trim_start_matches('[').trim_end_matches(']'), self.port)
    }

    pub(crate) fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    pub(crate) fn web_socket_url(&self) -> String {
        format!("ws://{}{}", self.authority(), self.target)
    }
}

#[cfg(test)]
#[path = "tests/endpoint.rs"]
mod tests;
