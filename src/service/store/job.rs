//! What a job is.

use crate::game::{Colour, Status};
use crate::pipeline::table::hint::PageHint;
use crate::review::Reviewed;
use crate::service::problem::Problem;
use serde::{Deserialize, Serialize};

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    Queued,
    Reading,
    Done,
    Failed,
    Cancelled,
}

impl State {
    pub const ALL: [State; 5] = [State::Queued, State::Reading, State::Done, State::Failed, State::Cancelled];

    pub fn name(self) -> &'static str {
        match self {
            State::Queued => "queued",
            State::Reading => "reading",
            State::Done => "done",
            State::Failed => "failed",
            State::Cancelled => "cancelled",
        }
    }

    /// The state of a name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Nothing more will happen.
    pub fn is_over(self) -> bool {
        !matches!(self, State::Queued | State::Reading)
    }
}

/// What a job asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A game from all photos of the job: what people upload. Read before pages.
    Game,
    /// One photo alone, for a batch that puts games together itself.
    Page,
}

impl Kind {
    /// The name in the database; jobs are taken in the order of these names.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Game => "game",
            Kind::Page => "page",
        }
    }

    /// The kind of a name.
    pub fn find(name: &str) -> Self {
        if name == Kind::Page.name() { Kind::Page } else { Kind::Game }
    }
}

/// One uploaded photo: which page of which sheet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhotoEntry {
    pub sheet: usize,
    pub page: usize,
    pub keeper: Option<Colour>,
    pub name: String,
    /// What a person said about the table on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<PageHint>,
}

/// What a list of games shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub white: Option<String>,
    pub black: Option<String>,
    pub result: String,
    pub plies: usize,
    /// Plies that are not clear.
    pub to_review: usize,
}

impl Summary {
    pub fn new(reviewed: &Reviewed) -> Self {
        let game = &reviewed.game;
        let player = |name: &str| game.headers.get(name).cloned();
        Self {
            white: player("White"),
            black: player("Black"),
            result: game.result.clone(),
            plies: game.plies.len(),
            to_review: game.plies.iter().filter(|ply| ply.status != Status::Clear).count(),
        }
    }
}

/// A job as the API shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Job {
    pub id: String,
    pub state: State,
    /// The stage of reading that is going on.
    pub stage: Option<String>,
    /// From 0 to 1.
    pub progress: f64,
    /// RFC 3339.
    pub created: String,
    pub updated: String,
    pub language: Option<String>,
    pub photos: Vec<PhotoEntry>,
    pub problem: Option<Problem>,
    pub summary: Option<Summary>,
    #[serde(skip)]
    pub kind: Kind,
    /// Times that reading was begun.
    #[serde(skip)]
    pub attempts: u32,
    /// Names who reads the job now; another name with every attempt.
    #[serde(skip)]
    pub lease: Option<String>,
    /// File of what was seen on the photos.
    #[serde(skip)]
    pub seen: Option<String>,
    /// File of the game.
    #[serde(skip)]
    pub game: Option<String>,
}
