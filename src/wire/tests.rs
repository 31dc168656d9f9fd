//! The pages for people that are written from tables of the code.

mod advice_page;
mod error_page;
mod export_page;
