//! A service without a listener, for a transport that has none.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;

use crate::app::application::App;
use crate::app::delivery::Delivery;
use crate::bootstrap::BootFault;
use crate::bootstrap::parts::PartsOverride;
use crate::config::Settings;

/// A running service that nobody can reach but whoever holds it.
pub struct Alone {
    service: App,
    _delivery: Arc<Delivery>,
    runtime: Runtime,
}

/// Opens the data folder and publishes the schemas.
///
/// # Errors
/// What is wrong, in a sentence.
pub fn start(settings: &Settings) -> Result<Alone, BootFault> {
    let over = PartsOverride::default();
    let (runtime, clock, metrics) = super::ground(settings, &over)?;
    let is_open = settings.principals.is_empty();
    let opened = runtime.block_on(super::open(settings, over, &metrics, clock, is_open));
    let (service, delivery) = opened?;
    Ok(Alone {
        service,
        _delivery: delivery,
        runtime,
    })
}

impl Alone {
    /// The service.
    pub fn service(&self) -> &App {
        &self.service
    }

    /// Runs a future on the service's runtime.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// Closes the service.
    pub fn stop(self) {
        self.runtime.block_on(self.service.close());
        self.runtime.shutdown_timeout(Duration::from_secs(5));
    }
}
