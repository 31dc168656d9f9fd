//! Deliveries to webhooks over HTTP: CloudEvents, signed; and notifications to those who asked for a task.
//!
//! Knows addresses, forms and signatures; not what is told, nor when. Follows no redirect. Invariants: a call ends within
//! its time; no address is called that may not be; neither an address nor anything sent or received stands in a log line.

pub mod cloud_event;

pub mod delivery_cursors;

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use http::Uri;
use http::header::AUTHORIZATION;
use http::header::CONTENT_TYPE;
use http::header::HeaderValue;
use ring::hmac;
use ring::rand::SecureRandom;
use ring::rand::SystemRandom;

use crate::adapters::outbound::Answer;
use crate::adapters::outbound::Outbound;
use crate::adapters::outbound::OutboundFault;
use crate::adapters::outbound::egress_policy::Reach;
use crate::app::ports::Clock;
use crate::app::ports::Delivered;
use crate::app::ports::Notification;
use crate::app::ports::WebhookDelivery;
use crate::app::ports::WebhookSender;
use crate::wire::loopback;
use schema::executor::is_odd_number;
use store::journal::Promise;

/// What of an answer is read; it is not looked at.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// What a notification of a task is (A2A §4.3.3).
const TASKS: &str = "application/a2a+json";
/// The header with the token that a task's receiver gave.
const TOKEN: &str = "x-a2a-notification-token";

/// Posts deliveries and notifications.
pub struct HttpWebhookSender {
    /// None where this machine holds no certificates to check with.
    https: Result<Outbound, String>,
    plain: Outbound,
    reach: Reach,
    timeout: Duration,
    clock: Arc<dyn Clock>,
}

impl HttpWebhookSender {
    /// A sender that calls no farther than this.
    pub fn open(reach: Reach, timeout: Duration, clock: Arc<dyn Clock>) -> Result<HttpWebhookSender, String> {
        Ok(HttpWebhookSender {
            https: Outbound::https(reach),
            plain: Outbound::plain(reach)?,
            reach,
            timeout,
            clock,
        })
    }

    /// The address, and who calls it.
    fn address(&self, url: &str) -> Result<(Uri, &Outbound), String> {
        let absolute = || "be an absolute address such as https://host/path".to_owned();
        let uri: Uri = url.parse().map_err(|_| absolute())?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(absolute());
        };
        if authority.as_str().contains('@') {
            return Err("not hold credentials: a signature says who calls".to_owned());
        }
        if url.contains('#') {
            return Err("have no fragment".to_owned());
        }
        if is_odd_number(authority.host().trim_end_matches('.')) {
            return Err("name a host, or spell its address out, such as 192.0.2.1".to_owned());
        }
        let port = authority.as_str().get(authority.host().len()..).unwrap_or_default();
        if port
            .strip_prefix(':')
            .is_some_and(|port| !matches!(port.parse::<u16>(), Ok(1..)))
        {
            return Err("name a port from 1 to 65535, or none".to_owned());
        }
        let named_local = loopback::host(authority.as_str());
        let outbound = match scheme {
            "https" => self
                .https
                .as_ref()
                .map_err(|_| "not be https here: this machine holds no root certificates to check with".to_owned())?,
            "http" if named_local => &self.plain,
            _ => return Err("begin with https://; http is for this machine alone".to_owned()),
        };
        // A name of this machine is an address of its own.
        if !self.reach.admits_host(authority.host()) {
            return Err(
                "not lie on this machine or in a private network (delivery.webhook_private_addresses)".to_owned(),
            );
        }
        Ok((uri, outbound))
    }

    async fn post(&self, delivery: WebhookDelivery) -> Delivered {
        let body = cloud_event::document(&delivery).to_string();
        let (media, secret) = (cloud_event::MEDIA_TYPE, Some(&delivery.secret[..]));
        let signed = headers(media, &delivery.id, self.seconds(), secret, &body);
        self.call(&delivery.url, signed.ok_or("it cannot be signed"), body)
            .await
    }

    async fn tell(&self, notification: Notification) -> Delivered {
        let signed = credentials(&notification, self.seconds()).ok_or("its credentials cannot be sent");
        self.call(&notification.url, signed, notification.body).await
    }

    fn seconds(&self) -> i64 {
        self.clock.now().0.div_euclid(1_000)
    }

    async fn call(&self, url: &str, headers: Result<HeaderMap, &'static str>, body: String) -> Delivered {
        let Ok((address, outbound)) = self.address(url) else {
            return Delivered::Failed("its address may not be called any more");
        };
        let headers = match headers {
            Ok(headers) => headers,
            Err(why) => return Delivered::Failed(why),
        };
        let calling = outbound.post(&address, headers, body.into_bytes(), ANSWER_BYTES_MAX);
        match tokio::time::timeout(self.timeout, calling).await {
            Err(_) => Delivered::Failed("no answer came in time"),
            Ok(Err(OutboundFault::Inner)) => Delivered::Failed("its address may not be called"),
            Ok(Err(OutboundFault::Unreachable)) => Delivered::Failed("it cannot be reached"),
            Ok(Err(OutboundFault::Cut)) => Delivered::Failed("the connection broke off"),
            Ok(Err(OutboundFault::TooLarge)) => Delivered::Failed("its answer is too large"),
            Ok(Ok(answer)) => taken(&answer),
        }
    }
}

/// The headers of a notification. Its receiver's token, where it gave one, signs it, and goes with it.
fn credentials(notification: &Notification, seconds: i64) -> Option<HeaderMap> {
    let Notification { id, token, body, .. } = notification;
    let secret = Some(token.as_bytes()).filter(|token| !token.is_empty());
    let mut headers = headers(TASKS, id, seconds, secret, body)?;
    if let Some((scheme, credentials)) = &notification.authorization {
        let value = format!("{scheme} {credentials}");
        headers.insert(AUTHORIZATION, sensitive(value.trim_end())?);
    }
    if secret.is_some() {
        headers.insert(TOKEN, sensitive(token)?);
    }
    Some(headers)
}

fn sensitive(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn taken(answer: &Answer) -> Delivered {
    match answer.status {
        status @ 200..=299 => Delivered::Taken(status),
        410 => Delivered::Gone,
        status => Delivered::Refused {
            status,
            retry_after_s: answer.retry_after_s,
        },
    }
}

/// The headers of Standard Webhooks 1.0, signed where there is a secret.
fn headers(media: &'static str, id: &str, seconds: i64, secret: Option<&[u8]>, body: &str) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert("webhook-id", HeaderValue::try_from(id).ok()?);
    headers.insert("webhook-timestamp", HeaderValue::from(seconds));
    if let Some(secret) = secret {
        headers.insert("webhook-signature", sensitive(&signature(secret, id, seconds, body))?);
    }
    Some(headers)
}

/// HMAC-SHA256 over id, moment and body: `v1,<base64>` over `id.seconds.body`.
fn signature(secret: &[u8], id: &str, seconds: i64, body: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
    let tag = hmac::sign(&key, format!("{id}.{seconds}.{body}").as_bytes());
    format!("v1,{}", STANDARD.encode(tag.as_ref()))
}

impl WebhookSender for HttpWebhookSender {
    fn admits(&self, url: &str) -> Result<(), String> {
        self.address(url).map(|_| ())
    }

    fn random(&self) -> Option<[u8; 48]> {
        let mut bytes = [0; 48];
        SystemRandom::new().fill(&mut bytes).ok().map(|()| bytes)
    }

    fn carry(&self, delivery: WebhookDelivery) -> Promise<'_, Delivered> {
        Box::pin(self.post(delivery))
    }

    fn notify(&self, notification: Notification) -> Promise<'_, Delivered> {
        Box::pin(self.tell(notification))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    use super::HttpWebhookSender;
    use super::signature;
    use crate::adapters::clock::SystemClock;
    use crate::adapters::outbound::egress_policy::Reach;
    use crate::app::ports::WebhookSender;

    fn sender(reach: Reach) -> HttpWebhookSender {
        HttpWebhookSender::open(reach, Duration::from_secs(1), Arc::new(SystemClock::new())).expect("a sender")
    }

    #[test]
    fn addresses_are_https_or_on_this_machine_and_in_reach() {
        let open = sender(Reach::Public { loopback: true });
        let closed = sender(Reach::Public { loopback: false });
        let anywhere = sender(Reach::Anywhere);
        let https = open.https.is_ok();
        for (urls, in_open, in_closed, in_anywhere) in [
            (
                "http://127.0.0.1:8080/hook?token=7 http://localhost/hook http://[::1]:1/",
                true,
                false,
                true,
            ),
            (
                "http://10.0.0.1/ http://example.com/ ftp://localhost/ /hook",
                false,
                false,
                false,
            ),
            (
                "https://ana:secret@example.com/ http://127.0.0.1/#top",
                false,
                false,
                false,
            ),
            (
                "https://example.com:65536/ https://example.com:0/ http://[::1]:0/",
                false,
                false,
                false,
            ),
            (
                "https://0x7f.1/ https://127.1/ https://2130706433/ https://0177.0.0.1./",
                false,
                false,
                false,
            ),
            (
                "https://example.com/hook https://example.com:65535/ https://0x.example.com/",
                https,
                https,
                https,
            ),
            (
                "https://10.0.0.1/ https://[fd00::1]/ https://169.254.169.254/latest",
                false,
                false,
                https,
            ),
            ("https://127.0.0.1/ https://localhost/", https, false, https),
        ] {
            for url in urls.split(' ') {
                let admitted = [&open, &closed, &anywhere].map(|sender| sender.admits(url).is_ok());
                assert_eq!(admitted, [in_open, in_closed, in_anywhere], "{url}");
            }
        }
    }

    #[test]
    fn a_signature_is_the_one_that_the_convention_gives_and_every_part_is_signed() {
        // The example of the Standard Webhooks reference libraries.
        let secret = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").expect("base64");
        let (id, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", r#"{"test": 2432232314}"#);
        let signed = signature(&secret, id, 1_614_265_330, body);
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        for other in [
            signature(b"secret", id, 1_614_265_330, body),
            signature(&secret, "msg_2", 1_614_265_330, body),
            signature(&secret, id, 8, body),
            signature(&secret, id, 1_614_265_330, "[]"),
        ] {
            assert_ne!(signed, other);
        }
        let sender = sender(Reach::Anywhere);
        assert_ne!(sender.random().expect("bytes"), sender.random().expect("bytes"));
    }
}
