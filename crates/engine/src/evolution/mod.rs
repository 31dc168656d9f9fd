//! How what was said becomes agreed: induction, conflict, patches, trial, promotion, deprecation, withdrawal.
//!
//! Knows templates, exchange and the pool's words; knows nothing of storage or transport. Pure.

pub mod audit;
pub mod backtest;
pub mod collision;
pub mod days;
pub mod edit;
pub mod evidence;
pub mod explanation;
pub mod freeze;
pub mod guard;
pub mod induction;
pub mod judge;
pub mod ledger;
pub mod operator_action;
pub mod outcome;
pub mod patch;
pub mod policy;
pub mod review;
pub mod screen;
pub mod share;
pub mod stage;
pub mod stage_dwell;
pub mod trial;

pub mod usage;
pub mod wilson;
