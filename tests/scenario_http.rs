//! What one scenario does for its clients and its operators, over HTTP.
