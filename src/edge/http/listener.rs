//! The listener: actix with our limits and without its signal handling.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::App;
use actix_web::HttpServer;
use actix_web::dev::Server as Running;
use actix_web::middleware::from_fn;
use actix_web::web;

use crate::edge::http::mouth::Mouth;
use crate::edge::http::passage::passage;
use crate::edge::http::routes;
use crate::edge::settings::Server;

/// Binds these addresses and serves on them; gives the addresses with the ports that were picked. The future must be
/// polled within a runtime; its handle stops it.
///
/// # Errors
/// When none of the addresses can be listened on.
pub fn serve(
    addresses: &[SocketAddr],
    mouth: Arc<Mouth>,
    settings: &Server,
) -> std::io::Result<(Running, Vec<SocketAddr>)> {
    let workers = match settings.workers {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        workers => workers,
    };
    let data = web::Data::from(mouth);
    let server = HttpServer::new(move || {
        App::new()
            .app_data(data.clone())
            .configure(routes::configure)
            .wrap(from_fn(passage))
    })
    .workers(workers)
    .backlog(settings.backlog)
    .max_connections(settings.connections_max.div_ceil(workers))
    .keep_alive(Duration::from_secs(settings.keep_alive_s))
    .client_request_timeout(Duration::from_secs(settings.head_timeout_s))
    .client_disconnect_timeout(Duration::from_secs(settings.disconnect_timeout_s))
    .shutdown_timeout(settings.shutdown_s)
    .disable_signals()
    .bind(addresses)?;
    let bound = server.addrs();
    Ok((server.run(), bound))
}
