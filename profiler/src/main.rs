fn main() -> std::process::ExitCode {
    profiler::command::main()
}
