//! The demonstration capture in `tests/captures/` is what its generator makes.

#[path = "report_demo/demo.rs"]
mod demo;

use profiler::capture::Capture;
use std::path::Path;

/// Set `IOSAGE_UPDATE=1` to write the file anew after a change of the generator.
#[test]
fn the_demo_capture_is_what_its_generator_makes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures/demo.capture.json");
    let made = demo::capture();
    if std::env::var_os("IOSAGE_UPDATE").is_some() {
        let text = serde_json::to_string(&made).unwrap();
        std::fs::write(&path, text + "\n").unwrap();
    }
    let stored: Capture = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(
        made, stored,
        "run with IOSAGE_UPDATE=1 and look at the diff"
    );
    assert_eq!(demo::report().total.length_ns, made.meta.window_ns);
}
