//! The listeners: actix's HTTP/1.1 with our limits and without its signal handling. Connections are shared between peers.

use std::net::IpAddr;
use std::net::Ipv6Addr;
use std::net::Shutdown;
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

use crate::app::reservations::Reservation;
use crate::app::reservations::Reservations;
use crate::config::service::Server;
use crate::http::app_state::AppState;
use crate::http::middleware::apply;
use crate::http::openapi::document::SERVED;
use crate::http::routes;

/// Connections of each peer address.
type Peers = Reservations<Option<IpAddr>>;

/// Connections that the listener of health and metrics holds at once.
const PLAIN_CONNECTIONS_MAX: usize = 256;

/// Binds those of these addresses that it can and serves on them, `plain` for health and metrics alone, with a thread and connections of
/// its own; gives them with the ports that were picked. The future must be polled within a runtime; its handle stops it.
///
/// # Errors
/// When none of the addresses can be listened on.
pub fn serve(
    addresses: &[SocketAddr],
    state: Arc<AppState>,
    settings: &Server,
    plain: bool,
) -> std::io::Result<(Running, Vec<SocketAddr>)> {
    let threads = || std::thread::available_parallelism().map_or(1, usize::from);
    let (workers, connections_max) = match settings.workers {
        _ if plain => (1, PLAIN_CONNECTIONS_MAX),
        0 => (threads(), settings.connections_max),
        workers => (workers, settings.connections_max),
    };
    let configure = if plain {
        routes::configure_plain
    } else {
        routes::configure
    };
    let write_timeout = Duration::from_secs(settings.write_timeout_s);
    let peers = Peers::default();
    let app = move || {
        App::new()
            .app_data(web::Data::from(Arc::clone(&state)))
            .app_data(web::Data::from(Arc::clone(&SERVED)))
            .configure(configure)
            .wrap(from_fn(apply))
    };
    let server = HttpServer::new(app)
        .workers(workers)
        .backlog(settings.backlog)
        .max_connections(connections_max.div_ceil(workers))
        .keep_alive(Duration::from_secs(settings.keep_alive_s))
        .client_request_timeout(Duration::from_secs(settings.head_timeout_s))
        .client_disconnect_timeout(Duration::from_secs(settings.disconnect_timeout_s))
        // A follower that went away is let go at once, and its place in a stream is free.
        .h1_allow_half_closed(false)
        .shutdown_timeout(settings.shutdown_s)
        .disable_signals()
        .on_connect(move |connection, held| {
            let Some(stream) = connection.downcast_ref::<TcpStream>() else {
                return;
            };
            limit_writing(stream, write_timeout);
            match admit(&peers, stream, connections_max) {
                Some(place) => drop(held.insert(place)),
                // A connection that is shut down ends at its first read.
                None => drop(SockRef::from(stream).shutdown(Shutdown::Both)),
            }
        })
        .bind(addresses)?;
    let bound = server.addrs();
    Ok((server.run(), bound))
}

/// Counts a connection of a peer until its place is dropped. `None` where seven eighths of all connections are held and this peer holds
/// its even share: the rest is for other peers, so that none can keep them out.
fn admit(peers: &Peers, stream: &TcpStream, connections_max: usize) -> Option<Reservation<Option<IpAddr>>> {
    let peer = stream.peer_addr().ok().map(|peer| peer_of(peer.ip()));
    let (place, (own, all)) = peers.reserve(peer);
    let is_near = all >= connections_max - connections_max / 8;
    let share = connections_max / (peers.owners() + 1);
    (!is_near || own < share).then_some(place)
}

/// The address that a peer is counted by: of IPv6 the network of 64 bits, since a peer has all addresses of it.
fn peer_of(address: IpAddr) -> IpAddr {
    const NETWORK: u128 = !0 << 64;
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & NETWORK)),
        address => address,
    }
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
