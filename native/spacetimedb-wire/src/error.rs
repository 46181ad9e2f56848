//! Why there is no connection, or no longer one.

use std::error::Error as StdError;
use std::io;

use thiserror::Error;
use tokio_tungstenite::tungstenite;

use crate::message::DecodeError;

/// Why a connection failed. Nothing was sent on it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The server's URL is not one that can be connected to.
    #[error("the server's URL {0}")]
    Url(&'static str),
    /// The database's name is invalid.
    #[error("the database's name may have letters, digits, hyphens, dots and underscores, and at least one")]
    Database,
    /// No TCP connection.
    #[error("no TCP connection to {address}")]
    Tcp {
        /// Host and port.
        address: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// The server refused a WebSocket: there is no such database, or it supports none of our protocols.
    #[error("no WebSocket at {address}")]
    WebSocket {
        /// Host and port.
        address: String,
        /// What was wrong with the server's answer.
        source: Box<tungstenite::Error>,
    },
    /// The server did not begin as the protocol requires.
    #[error("the server did not begin with the connection's identity")]
    Greeting(#[source] LostConnection),
}

/// Why a connection ended. Outstanding calls on it are in doubt.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LostConnection {
    /// The server, or something in between, ended it without a message.
    #[error("the connection ended")]
    Ended,
    /// The server ended it cleanly.
    #[error("the server closed the connection: {0}")]
    Closed(String),
    /// Reading or writing failed.
    #[error("the connection failed")]
    Socket(#[source] Box<tungstenite::Error>),
    /// The server sent something that the protocol does not allow here.
    #[error("the server broke the protocol")]
    Protocol(#[from] DecodeError),
    /// The server answered no request of ours, or one twice.
    #[error("the server broke the protocol: a reply came under the number {0}, which is not outstanding")]
    UnaskedReply(u32),
    /// The server sent text, where every message is binary.
    #[error("the server broke the protocol: a message of text came")]
    Text,
}

impl LostConnection {
    /// Whether the server broke the protocol, rather than ended the connection.
    #[must_use]
    pub fn is_protocol_error(&self) -> bool {
        match self {
            Self::Protocol(_) | Self::Text | Self::UnaskedReply(_) => true,
            // The error says whether it ended without a word.
            Self::Socket(error) => matches!(**error, tungstenite::Error::Protocol(_)),
            Self::Ended | Self::Closed(_) => false,
        }
    }
}

impl From<tungstenite::Error> for LostConnection {
    fn from(error: tungstenite::Error) -> Self {
        use tungstenite::error::ProtocolError::ResetWithoutClosingHandshake;
        match error {
            tungstenite::Error::ConnectionClosed
            | tungstenite::Error::AlreadyClosed
            | tungstenite::Error::Protocol(ResetWithoutClosingHandshake) => Self::Ended,
            other => Self::Socket(Box::new(other)),
        }
    }
}

/// An error and its causes, on one line.
#[must_use]
pub fn with_causes(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
