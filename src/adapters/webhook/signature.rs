//! Signatures as Standard Webhooks 1.0 has them: HMAC-SHA256 over id, moment and body.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

/// `v1,<base64>` over `id.seconds.body`.
pub fn v1(secret: &[u8], id: &str, seconds: i64, body: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
    let tag = hmac::sign(&key, format!("{id}.{seconds}.{body}").as_bytes());
    format!("v1,{}", STANDARD.encode(tag.as_ref()))
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;

    use super::v1;

    #[test]
    fn a_signature_is_the_one_that_the_convention_gives() {
        // The example of the Standard Webhooks reference libraries.
        let secret = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").expect("base64");
        let signed = v1(
            &secret,
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn every_part_is_signed() {
        let signed = v1(b"secret", "msg_1", 7, "{}");
        for other in [
            v1(b"Secret", "msg_1", 7, "{}"),
            v1(b"secret", "msg_2", 7, "{}"),
            v1(b"secret", "msg_1", 8, "{}"),
            v1(b"secret", "msg_1", 7, "[]"),
        ] {
            assert_ne!(signed, other);
        }
    }
}
