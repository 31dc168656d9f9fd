//! The listener: actix's HTTP/1.1 with our limits and without its signal handling. An idle connection makes room for a new one.

use std::future::ready;
use std::net::SocketAddr;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use actix_http::HttpService;
use actix_service::IntoServiceFactory;
use actix_service::ServiceFactoryExt;
use actix_service::fn_service;
use actix_service::map_config;
use actix_web::App;
use actix_web::dev::AppConfig;
use actix_web::dev::Server as Running;
use actix_web::middleware::from_fn;
use actix_web::rt::net::TcpStream;
use actix_web::web;
use socket2::Domain;
use socket2::Protocol;
use socket2::SockRef;
use socket2::Socket;
use socket2::Type;

use crate::config::service::Server;
use crate::http::app_state::AppState;
use crate::http::connections::Connections;
use crate::http::expect;
use crate::http::middleware::apply;
use crate::http::openapi::document::SERVED;
use crate::http::routes;

/// Binds these addresses and serves on them; gives the addresses with the ports that were picked. The future must be
/// polled within a runtime; its handle stops it.
///
/// # Errors
/// When none of the addresses can be listened on.
pub fn serve(
    addresses: &[SocketAddr],
    state: Arc<AppState>,
    settings: &Server,
) -> std::io::Result<(Running, Vec<SocketAddr>)> {
    let workers = match settings.workers {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        workers => workers,
    };
    let connections = Connections::at_most(settings.connections_max);
    let mut server = Running::build()
        .workers(workers)
        // One more than its share, so that a further connection comes in and sends an idle one away.
        .max_concurrent_connections(settings.connections_max.div_ceil(workers) + 1)
        .shutdown_timeout(settings.shutdown_s)
        .disable_signals();
    let ending = server.graceful_shutdown_signal();
    let mut bound = Vec::with_capacity(addresses.len());
    let mut fault = None;
    for address in addresses {
        let listener = match listen(*address, settings.backlog) {
            Ok(listener) => listener,
            Err(error) => {
                fault = Some(error);
                continue;
            }
        };
        bound.push(listener.local_addr()?);
        let (state, settings, ending) = (Arc::clone(&state), settings.clone(), ending.clone());
        let connections = Arc::clone(&connections);
        server = server.listen("http", listener, move || {
            let (data, expected) = (web::Data::from(Arc::clone(&state)), Arc::clone(&state));
            let app = App::new()
                .app_data(data)
                .app_data(web::Data::from(Arc::clone(&SERVED)))
                .configure(routes::configure)
                .wrap(from_fn(apply));
            let (ending, connections) = (ending.clone(), Arc::clone(&connections));
            let http = HttpService::build()
                .graceful_shutdown_signal(move || {
                    let ending = ending.clone();
                    async move { ending.notified().await }
                })
                .keep_alive(Duration::from_secs(settings.keep_alive_s))
                .client_request_timeout(Duration::from_secs(settings.head_timeout_s))
                .client_disconnect_timeout(Duration::from_secs(settings.disconnect_timeout_s))
                .on_connect_ext(move |stream: &TcpStream, data| {
                    if let Some(held) = connections.enter(stream) {
                        data.insert(held);
                    }
                })
                .expect(move |request| ready(expect::admit(&expected, request)))
                .h1(map_config(app.into_factory(), |()| AppConfig::default()));
            let write_timeout = Duration::from_secs(settings.write_timeout_s);
            fn_service(move |stream: TcpStream| {
                limit_writing(&stream, write_timeout);
                let peer = stream.peer_addr().ok();
                ready(Ok((stream, peer)))
            })
            .and_then(http)
        })?;
    }
    if let Some(error) = fault.filter(|_| bound.is_empty()) {
        return Err(error);
    }
    Ok((server.run(), bound))
}

/// A socket that is listened on, with so many that wait for it.
fn listen(address: SocketAddr, backlog: u32) -> std::io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // A service that is started again need not wait until the system has forgotten its last connections.
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(i32::try_from(backlog).unwrap_or(i32::MAX))?;
    Ok(socket.into())
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
