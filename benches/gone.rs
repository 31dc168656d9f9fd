//! The service with an embedding model that answers nothing: all of it but the model is what is shipped.

use std::path::Path;
use std::sync::Arc;

use otherwise::app::ports::EmbedFault;
use otherwise::app::ports::Embedder;
use otherwise::bootstrap;
use otherwise::bootstrap::parts::PartsOverride;
use otherwise::config::Settings;
use store::journal::Promise;
use text::vector::Vector;

struct Gone;

impl Embedder for Gone {
    fn model(&self) -> &str {
        "gone/384"
    }

    fn embed(&self, _texts: Vec<String>) -> Promise<'_, Result<Vec<Vector>, EmbedFault>> {
        Box::pin(async { Err(EmbedFault::Model("it is gone".to_owned())) })
    }
}

/// Serves on a free port until it is killed.
pub fn serve(data: &Path) {
    let mut settings = Settings::default();
    settings.server.listen = "127.0.0.1:0".to_owned();
    settings.server.client_requests_per_s = 0;
    settings.data.folder = data.display().to_string();
    let parts = PartsOverride {
        embedder: Some(Arc::new(Gone)),
        ..PartsOverride::default()
    };
    let running = bootstrap::start(&settings, parts).expect("the service starts");
    println!("ready http://{}", running.address());
    loop {
        std::thread::park();
    }
}
