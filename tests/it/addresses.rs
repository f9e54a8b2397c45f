//! The addresses of the service: all are documented, and what is refused says why.

use crate::http::send;
use crate::service::{Folder, get, usual};

#[test]
fn whatever_is_refused_is_a_problem_document() {
    let folder = Folder::new("refused");
    let address = usual(&folder);
    let job = format!("/v1/jobs/{}", "0".repeat(32));
    for (method, path, status) in [
        ("PATCH", "/v1/jobs".to_owned(), 405),
        ("POST", job.clone(), 405),
        ("GET", format!("{job}/pages/x/0"), 400),
        ("GET", format!("{job}/cells/0/1/green"), 400),
        ("GET", "/v1/jobs?limit=many".to_owned(), 400),
        ("GET", format!("/v1/export.pgn?ids={}", "0,".repeat(5001)), 400),
        ("GET", "/v2/jobs".to_owned(), 404),
    ] {
        let refused = send(address, method, &path, &[], &[]);
        assert_eq!(refused.status, status, "{method} {path}: {}", refused.text());
        assert!(refused.has("content-type: application/problem+json"), "{method} {path}: {}", refused.header);
        let problem = refused.json();
        assert!(["detail", "next_step"].iter().all(|part| problem[part].as_str().is_some_and(|text| text.len() > 5)));
        assert!(status != 405 || refused.has("allow:"), "{method} {path} says what is allowed");
    }
}

#[test]
fn every_address_is_documented() {
    let folder = Folder::new("documented");
    let address = usual(&folder);
    let document = get(address, "/v1/openapi.json").json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let source = include_str!("../../src/service/api.rs");
    let mut routes = 0;
    for line in source.lines().filter_map(|line| line.trim().strip_prefix(".route(\"")) {
        let (path, handlers) = line.split_once("\", ").unwrap();
        for method in ["get", "post", "put", "delete"].into_iter().filter(|m| handlers.contains(&format!("{m}("))) {
            let operation = &document["paths"][path][method];
            assert!(operation["summary"].is_string(), "{method} {path} is not documented");
            assert!(operation["responses"].as_object().is_some_and(|r| !r.is_empty()), "{method} {path}");
            routes += 1;
        }
    }
    assert_eq!(
        routes,
        document["paths"].as_object().unwrap().values().map(|p| p.as_object().unwrap().len()).sum::<usize>()
    );
}
