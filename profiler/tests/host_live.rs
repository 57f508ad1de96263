//! The inventory of the host that runs the tests.

use profiler::host::Host;
use std::time::Instant;

#[test]
fn print_it() {
    let begin = Instant::now();
    let host = Host::live();
    let took = begin.elapsed();
    println!("{}", serde_json::to_string_pretty(&host).unwrap());
    println!("took {took:?}");
}
