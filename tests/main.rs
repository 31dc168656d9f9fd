//! Journeys through the whole service, as a client, an operator or a shell makes them.

mod support;

mod house;

mod simulation;

mod journeys;

mod http_access;

mod http_conversation;

mod negotiation;

mod process;

mod operations;

mod embed;

mod setup;

mod golden;

mod kill;

mod idempotency;

mod executor;

mod scenario_http;

mod search;

mod shared_context;

mod misspelt;

mod transports;

mod rpc;

mod mcp;

mod limits;

mod walk;

mod readme;

mod full_disk;

mod retention;

mod reembedding;

mod backup;

mod compatibility;

mod publishing;

mod guards;

mod model;

mod deploy;

mod demo;

mod shell;

mod a2a;

mod documented;

mod works;

mod conformance;

mod conversations;

mod messages;

mod doubled;

mod unpaired;
