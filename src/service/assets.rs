//! The page and what belongs to it, within the program.

use super::Service;
use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use std::sync::Arc;

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const JSON: &str = "application/json";
const SVG: &str = "image/svg+xml";

/// Address, type and content of every file.
macro_rules! files {
    ($(($address:literal, $kind:expr, $file:literal)),* $(,)?) => {
        const FILES: &[(&str, &str, &str)] = &[$(($address, $kind, include_str!(concat!("page/", $file)))),*];
    };
}

files![
    ("/", HTML, "index.html"),
    ("/docs", HTML, "docs.html"),
    ("/v1/openapi.json", JSON, "openapi.json"),
    ("/assets/style.css", STYLE, "style.css"),
    ("/assets/review.css", STYLE, "review.css"),
    ("/assets/table.css", STYLE, "table.css"),
    ("/assets/docs.css", STYLE, "docs.css"),
    ("/assets/alarm.js", SCRIPT, "alarm.js"),
    ("/assets/api.js", SCRIPT, "api.js"),
    ("/assets/app.js", SCRIPT, "app.js"),
    ("/assets/board.js", SCRIPT, "board.js"),
    ("/assets/chess.js", SCRIPT, "chess.js"),
    ("/assets/details.js", SCRIPT, "details.js"),
    ("/assets/docs.js", SCRIPT, "docs.js"),
    ("/assets/dom.js", SCRIPT, "dom.js"),
    ("/assets/jobs.js", SCRIPT, "jobs.js"),
    ("/assets/keys.js", SCRIPT, "keys.js"),
    ("/assets/moves.js", SCRIPT, "moves.js"),
    ("/assets/panel.js", SCRIPT, "panel.js"),
    ("/assets/photo.js", SCRIPT, "photo.js"),
    ("/assets/pins.js", SCRIPT, "pins.js"),
    ("/assets/progress.js", SCRIPT, "progress.js"),
    ("/assets/quad.js", SCRIPT, "quad.js"),
    ("/assets/review.js", SCRIPT, "review.js"),
    ("/assets/state.js", SCRIPT, "state.js"),
    ("/assets/table.js", SCRIPT, "table.js"),
    ("/assets/text.js", SCRIPT, "text.js"),
    ("/assets/upload.js", SCRIPT, "upload.js"),
    ("/assets/en.json", JSON, "en.json"),
    ("/assets/de.json", JSON, "de.json"),
    ("/assets/icon.svg", SVG, "icon.svg"),
    ("/assets/pieces.svg", SVG, "pieces.svg"),
    ("/assets/cm-chessboard/chessboard.css", STYLE, "cm-chessboard/chessboard.css"),
    ("/assets/cm-chessboard/Chessboard.js", SCRIPT, "cm-chessboard/Chessboard.js"),
    ("/assets/cm-chessboard/lib/Svg.js", SCRIPT, "cm-chessboard/lib/Svg.js"),
    ("/assets/cm-chessboard/lib/Utils.js", SCRIPT, "cm-chessboard/lib/Utils.js"),
    ("/assets/cm-chessboard/model/ChessboardState.js", SCRIPT, "cm-chessboard/model/ChessboardState.js"),
    ("/assets/cm-chessboard/model/Extension.js", SCRIPT, "cm-chessboard/model/Extension.js"),
    ("/assets/cm-chessboard/model/Position.js", SCRIPT, "cm-chessboard/model/Position.js"),
    ("/assets/cm-chessboard/view/ChessboardView.js", SCRIPT, "cm-chessboard/view/ChessboardView.js"),
    ("/assets/cm-chessboard/view/PositionAnimationsQueue.js", SCRIPT, "cm-chessboard/view/PositionAnimationsQueue.js"),
    ("/assets/cm-chessboard/view/VisualMoveInput.js", SCRIPT, "cm-chessboard/view/VisualMoveInput.js"),
];

/// A route for each file.
pub fn routes() -> Router<Arc<Service>> {
    FILES.iter().fold(Router::new(), |router, &(address, kind, content)| {
        let answer = move || async move {
            ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")], content).into_response()
        };
        router.route(address, get(answer))
    })
}
