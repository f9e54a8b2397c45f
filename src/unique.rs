//! Names of files that are given only once.

use std::collections::HashSet;

/// The name, with a number behind it if it is taken; which it then is, in capitals or not.
pub fn unique(name: &str, taken: &mut HashSet<String>) -> String {
    let mut unique = name.to_owned();
    let mut count = 1;
    while !taken.insert(unique.to_lowercase()) {
        count += 1;
        unique = format!("{name}-{count}");
    }
    unique
}
