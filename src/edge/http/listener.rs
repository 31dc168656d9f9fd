//! The listener: actix with our limits and without its signal handling. An idle connection makes room for a new one.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::App;
use actix_web::HttpServer;
use actix_web::dev::Server as Running;
use actix_web::middleware::from_fn;
use actix_web::rt::net::TcpStream;
use actix_web::web;
use socket2::SockRef;

use crate::edge::http::connections::Connections;
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
    let connections = Connections::at_most(settings.connections_max);
    let write_timeout = Duration::from_secs(settings.write_timeout_s);
    let server = HttpServer::new(move || {
        App::new()
            .app_data(data.clone())
            .configure(routes::configure)
            .wrap(from_fn(passage))
    })
    .workers(workers)
    .backlog(settings.backlog)
    // One more than its share, so that a further connection comes in and sends an idle one away.
    .max_connections(settings.connections_max.div_ceil(workers) + 1)
    .keep_alive(Duration::from_secs(settings.keep_alive_s))
    .client_request_timeout(Duration::from_secs(settings.head_timeout_s))
    .client_disconnect_timeout(Duration::from_secs(settings.disconnect_timeout_s))
    .on_connect(move |connection, data| {
        if let Some(stream) = connection.downcast_ref::<TcpStream>() {
            limit_writing(stream, write_timeout);
            if let Some(held) = connections.enter(stream) {
                data.insert(held);
            }
        }
    })
    .shutdown_timeout(settings.shutdown_s)
    .disable_signals()
    .bind(addresses)?;
    let bound = server.addrs();
    Ok((server.run(), bound))
}

/// Lets the system cut a connection whose client leaves unread what is sent to it: actix itself waits for as long as the
/// client likes.
fn limit_writing(stream: &TcpStream, timeout: Duration) {
    if let Err(error) = SockRef::from(stream).set_tcp_user_timeout(Some(timeout)) {
        tracing::debug!(%error, "a connection takes no write timeout");
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use actix_web::rt::net::TcpStream;
    use socket2::SockRef;

    use super::limit_writing;

    #[actix_web::test]
    async fn a_connection_is_cut_by_the_system_when_nobody_reads() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let stream = TcpStream::connect(address).await.expect("connected");
        limit_writing(&stream, Duration::from_secs(7));
        let timeout = SockRef::from(&stream).tcp_user_timeout().expect("read");
        assert_eq!(timeout, Some(Duration::from_secs(7)));
    }
}
