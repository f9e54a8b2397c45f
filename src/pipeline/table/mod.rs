//! The table of moves on a page: where it is, its rows and its columns.

pub(super) mod amend;
pub mod columns;
pub(super) mod faint;
pub(super) mod find;
pub mod found;
pub(super) mod further;
pub mod grid;
pub mod hint;
pub(super) mod ink_rows;
pub(super) mod layout;
pub(super) mod legible;
pub(super) mod level;
pub mod lines;
pub(super) mod listed;
pub(super) mod long_lines;
pub(super) mod more_rows;
pub(super) mod number_columns;
pub(super) mod number_rows;
pub(super) mod pairs;
pub(super) mod print;
pub(super) mod ruled_rows;
pub(super) mod search;
pub(super) mod spacing;
pub(super) mod straight_rows;
pub(super) mod track;
pub mod uprights;
