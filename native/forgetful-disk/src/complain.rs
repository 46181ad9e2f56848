//! What the program has to say to people.

use std::io::{self, Write};

/// Tells on stderr what went wrong.
pub(crate) fn complain(text: &str) {
    let _unheard = writeln!(io::stderr(), "forgetful-disk: {text}");
}
