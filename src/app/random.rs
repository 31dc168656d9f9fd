//! Random bytes that nobody can guess, for ids and secrets.

use crate::app::error::ServiceError;
use crate::app::ports::WebhookSender;

/// So many as one id or one secret takes at most.
///
/// # Errors
/// [`ServiceError::Fault`] where the machine gives none.
pub fn bytes(source: &dyn WebhookSender) -> Result<[u8; 48], ServiceError> {
    let random = source.random();
    random.ok_or_else(|| ServiceError::Fault("this machine gives no random bytes".to_owned()))
}

/// So many as an id takes.
pub fn id(source: &dyn WebhookSender) -> Result<[u8; 16], ServiceError> {
    let mut id = [0; 16];
    id.copy_from_slice(&bytes(source)?[..16]);
    Ok(id)
}
