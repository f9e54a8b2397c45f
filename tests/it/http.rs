//! A small HTTP client: one request a connection, so that hostile requests can be sent as well as good ones.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// An answer.
pub struct Answer {
    pub status: u16,
    /// The header, names in lower case.
    pub header: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn has(&self, header: &str) -> bool {
        self.header.lines().any(|line| line.starts_with(header))
    }
}

/// Sends a request; `headers` are whole lines, `host` goes into its own.
pub fn send(address: SocketAddr, method: &str, path: &str, headers: &[&str], body: &[u8]) -> Answer {
    let host = if headers.iter().any(|line| line.starts_with("host:")) { "" } else { "host: localhost\r\n" };
    let lines: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    let head =
        format!("{method} {path} HTTP/1.1\r\n{host}{lines}content-length: {}\r\nconnection: close\r\n\r\n", body.len());
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    // A server that refuses a request may answer before it has taken the whole body.
    drop(stream.write_all(body));
    let mut bytes = Vec::new();
    drop(stream.read_to_end(&mut bytes));
    parse(&bytes)
}

fn parse(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").expect("an answer has a header");
    let header = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let status = header.split_whitespace().nth(1).unwrap().parse().unwrap();
    let raw = &bytes[end + 4..];
    let body = if header.contains("transfer-encoding: chunked") { unchunk(raw) } else { raw.to_vec() };
    Answer { status, header, body }
}

fn unchunk(mut raw: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(line) = raw.windows(2).position(|w| w == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&raw[..line]).unwrap().trim(), 16).unwrap();
        if size == 0 {
            break;
        }
        body.extend_from_slice(&raw[line + 2..line + 2 + size]);
        raw = &raw[line + 4 + size..];
    }
    body
}

/// A multipart body of fields (name, file name, content), with the header line of its type.
pub fn multipart(fields: &[(&str, &str, &[u8])]) -> (String, Vec<u8>) {
    let boundary = "------------------------sheets";
    let mut body = Vec::new();
    for (name, file, content) in fields {
        let head =
            format!("--{boundary}\r\ncontent-disposition: form-data; name=\"{name}\"; filename=\"{file}\"\r\n\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    (format!("content-type: multipart/form-data; boundary={boundary}"), body)
}
