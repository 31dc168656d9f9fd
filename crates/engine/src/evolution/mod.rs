//! How what was said becomes agreed: induction, conflict, patches, trial, promotion, deprecation, withdrawal.
//!
//! Knows templates, exchange and the pool's words; knows nothing of storage or transport. Pure.

pub mod policy;

pub mod review;

pub mod induction;

pub mod screen;

pub mod stage_dwell;

pub mod collision;
pub mod stage;

pub mod operator_action;

pub mod freeze;

pub mod backtest;

pub mod outcome;

pub mod explanation;

pub mod evidence;

pub mod edit;

pub mod patch;

pub mod share;

pub mod ledger;

pub mod trial;

pub mod guard;

pub mod judge;

pub mod wilson;

pub mod audit;
