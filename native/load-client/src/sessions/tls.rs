//! Encryption as libpq reads `sslmode`: `require` verifies nothing unless an authority is named, `verify-ca` verifies the
//! authority, `verify-full` the host too. By <https://www.postgresql.org/docs/current/libpq-ssl.html>.

use std::io;
use std::path::Path;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    self, CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
};

/// What a URL says of encryption.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TlsParameters {
    /// `sslmode`; none means plain text.
    pub(crate) mode: Option<String>,
    /// A file, or `system`.
    pub(crate) authority: Option<String>,
    pub(crate) certificate: Option<String>,
    pub(crate) key: Option<String>,
}

/// How sessions are encrypted.
#[derive(Clone)]
pub(crate) struct Tls {
    connector: TlsConnector,
}

impl Tls {
    /// None for plain text. The error says what is wrong with which parameter.
    pub(crate) fn of(parameters: &TlsParameters) -> Result<Option<Self>, String> {
        let TlsParameters { mode, authority, certificate, key } = parameters;
        let is_system = authority.as_deref() == Some("system");
        let (verifies, checks_name) = match mode.as_deref() {
            // As libpq: a private authority makes `require` verify it.
            _ if is_system => (true, true),
            None | Some("disable") => return Ok(None),
            // As the Node client: encrypted, without another try in plain text.
            Some("prefer" | "require") => (authority.is_some(), false),
            Some("verify-ca") => (true, false),
            Some("verify-full") => (true, true),
            Some(other) => {
                return Err(format!(
                    "sslmode: got {other:?}; accepts disable, prefer, require, verify-ca, verify-full"
                ));
            }
        };
        let provider = Arc::new(ring::default_provider());
        let authorities = if verifies {
            let roots = roots_of(authority.as_deref().filter(|_| !is_system))?;
            let built =
                WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider)).build();
            Some(built.map_err(|error| format!("sslrootcert: {error}"))?)
        } else {
            None
        };
        let verifier = Verifier { provider: Arc::clone(&provider), authorities, checks_name };
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier));
        let config = match (certificate, key) {
            (Some(certificate), Some(key)) => {
                let chain = certificates_in(certificate, "sslcert")?;
                let key =
                    PrivateKeyDer::from_pem_file(key).map_err(|error| format!("sslkey: {key}: {error}"))?;
                builder.with_client_auth_cert(chain, key).map_err(|error| format!("sslcert: {error}"))?
            }
            (None, None) => builder.with_no_client_auth(),
            _ => return Err("sslcert and sslkey: name both, or none".to_owned()),
        };
        Ok(Some(Self { connector: TlsConnector::from(Arc::new(config)) }))
    }

    pub(crate) async fn connect(&self, host: &str, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        self.connector.connect(name, stream).await
    }
}

/// Those of a file, or the ones that this system trusts.
fn roots_of(file: Option<&str>) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    if let Some(file) = file {
        for certificate in certificates_in(file, "sslrootcert")? {
            roots.add(certificate).map_err(|error| format!("sslrootcert: {file}: {error}"))?;
        }
    } else {
        let found = rustls_native_certs::load_native_certs();
        roots.add_parsable_certificates(found.certs);
        if roots.is_empty() {
            return Err("sslrootcert: this system has no authorities; name a file".to_owned());
        }
    }
    Ok(roots)
}

fn certificates_in(file: &str, parameter: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{parameter}: {file}: {error}");
    let read: Result<Vec<_>, _> =
        CertificateDer::pem_file_iter(Path::new(file)).map_err(|error| failed(&error))?.collect();
    let certificates = read.map_err(|error| failed(&error))?;
    if certificates.is_empty() { Err(failed(&"it has no certificate")) } else { Ok(certificates) }
}

#[derive(Debug)]
struct Verifier {
    provider: Arc<CryptoProvider>,
    /// None: any certificate is taken.
    authorities: Option<Arc<WebPkiServerVerifier>>,
    checks_name: bool,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(authorities) = &self.authorities else { return Ok(ServerCertVerified::assertion()) };
        let verified =
            authorities.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match verified {
            // The authority is verified before the name.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.checks_name => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
