//! The fault for an error of the server: the twin of `packages/connector-postgres/src/error-outcome.ts`.

use bytes::BytesMut;
use fallible_iterator::FallibleIterator as _;
use postgres_protocol::message::backend::{ErrorFields, Message};

use crate::error::Error;
use crate::outcome::{FaultCode, Outcome};
use crate::sessions::codec::Read;

/// An ErrorResponse: the fields that decide, and those that are reported.
pub(super) struct ServerError {
    pub(super) sql_state: String,
    pub(super) severity: String,
    pub(super) message: String,
}

impl ServerError {
    pub(super) fn of(mut fields: ErrorFields<'_>) -> Self {
        let mut error = Self {
            sql_state: String::new(),
            severity: String::new(),
            message: "an error without text".to_owned(),
        };
        while let Ok(Some(field)) = fields.next() {
            let text = String::from_utf8_lossy(field.value_bytes()).into_owned();
            match field.type_() {
                // Never translated, where the server sends it.
                b'V' => error.severity = text,
                b'S' if error.severity.is_empty() => error.severity = text,
                b'C' => error.sql_state = text,
                b'M' => error.message = text,
                _ => {}
            }
        }
        error
    }

    /// Whether the session ends with it.
    pub(super) fn is_fatal(&self) -> bool {
        self.severity != "ERROR"
    }

    /// Of a call that was sent. An ERROR means that the transaction was rolled back; an error that ends the session
    /// leaves a doubt.
    pub(super) fn into_outcome(self) -> Outcome {
        let text = self.to_string();
        if let Some(code) = self.code_without_doubt() {
            return Outcome::refused(code, text);
        }
        // 40003: completion unknown; class 08: connection; the others: the session was ended.
        let state = self.sql_state.as_str();
        if matches!(state, "40003" | "57P01" | "57P02" | "57P05" | "25P03") || state.starts_with("08") {
            return Outcome::in_doubt(FaultCode::ConnectionLost, text);
        }
        if self.is_fatal() {
            return Outcome::in_doubt(FaultCode::ServerError, text);
        }
        Outcome::refused(FaultCode::ServerError, text)
    }

    /// SQLSTATEs after which the transaction was certainly rolled back (Appendix A of PostgreSQL's manual).
    fn code_without_doubt(&self) -> Option<FaultCode> {
        Some(match self.sql_state.as_str() {
            "40001" => FaultCode::SerializationFailure,
            "40P01" => FaultCode::Deadlock,
            "53300" | "57P03" => FaultCode::Overloaded,
            "22003" | "22P02" | "22P03" => FaultCode::InvalidRequest,
            _ => return None,
        })
    }

    /// The fault for a call that was not sent because this error ended the connecting.
    pub(super) fn connect_code(&self) -> FaultCode {
        match self.sql_state.as_str() {
            "53300" | "57P03" => FaultCode::Overloaded,
            _ => FaultCode::ConnectionRefused,
        }
    }
}

impl std::fmt::Display for ServerError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} (SQLSTATE {})", self.message, self.sql_state)
    }
}

/// Reads an ErrorResponse.
pub(super) fn error_of(message: &[u8]) -> Read<ServerError> {
    match Message::parse(&mut BytesMut::from(message)) {
        Ok(Some(Message::ErrorResponse(body))) => Ok(ServerError::of(body.fields())),
        _ => Err(Error::broken("the server sent an error that cannot be read").into()),
    }
}

#[cfg(test)]
#[path = "tests/fault.rs"]
mod tests;
