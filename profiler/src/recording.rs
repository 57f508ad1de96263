//! From an open session to a finished file: the loop of `iosage record`.
//!
//! The ring is emptied ten times a second, the tables once a second; the recording ends by time,
//! by the end of what is recorded, or by SIGINT, SIGTERM, SIGHUP or SIGQUIT, and always with a valid file.

use crate::{
    capture::{
        Ending, Losses, Meta, OwnCost, ProbeStatus, Slice, SystemSlice, Workload, Writer,
        WriterOptions,
    },
    host::{Host, pulse::Pulse},
    kernel::support,
    session::{Session, Settings},
    workload::{Plan, Stop},
};
use anyhow::{Context as _, Result, anyhow, bail};
use std::{
    path::{Path, PathBuf},
    process::ExitStatus,
    sync::{Arc, mpsc},
    time::Duration,
};
use tokio::{
    process::{Child, Command},
    signal::unix::{Signal, SignalKind, signal},
    sync::oneshot,
    task::JoinHandle,
    time::{Instant, MissedTickBehavior, interval_at, sleep_until},
};

const POLL: Duration = Duration::from_millis(100);
const SLICE: Duration = Duration::from_secs(1);

/// What runs while the probes watch.
pub enum Load {
    /// Whatever the host does anyway.
    Host,
    Command(Vec<String>),
    /// The built-in workload: its files are laid out before the probes are attached.
    Workload(Box<Plan>),
}

/// Told once a second: seconds recorded so far, and the slice.
pub type Progress = Box<dyn FnMut(u64, &Slice)>;

/// One recording to be made.
pub struct Order {
    pub settings: Settings,
    pub host: Host,
    /// Devices as the user named them, for the file.
    pub devices: Vec<String>,
    pub load: Load,
    pub duration: Option<Duration>,
    pub output: PathBuf,
    pub options: WriterOptions,
    pub progress: Progress,
    /// Told what went wrong without ending the recording.
    pub warn: fn(&str),
}

/// What came of it.
#[derive(Debug)]
pub struct Recorded {
    /// `None`: standard output.
    pub path: Option<PathBuf>,
    pub ended_by: String,
    pub window: Duration,
    pub requests: u64,
    pub probes: Vec<ProbeStatus>,
    /// The workload's own error, which does not make the recording worthless.
    pub load_error: Option<anyhow::Error>,
}

/// Records. Everything that forbids it is said before the load is started.
pub fn record(order: Order) -> Result<Recorded> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime
        .context("starting the event loop")?
        .block_on(run(order))
}

async fn run(mut order: Order) -> Result<Recorded> {
    let mut meta = meta(&order);
    let mut interrupts = signal(SignalKind::interrupt()).context("catching SIGINT")?;
    let mut terminations = signal(SignalKind::terminate()).context("catching SIGTERM")?;
    // Who started us under nohup wants us to outlive the terminal.
    let mut hangups = match support::ignores(HANGUP) {
        true => None,
        false => Some(signal(SignalKind::hangup()).context("catching SIGHUP")?),
    };
    let mut quits = signal(SignalKind::quit()).context("catching SIGQUIT")?;
    let waiting = Waiting::prepare(order.load, &mut interrupts).await?;
    let mut session = Session::open(&order.settings, &order.host)?;
    let mut writer = Writer::create(&order.output, &order.host, order.options)?;
    meta.started_monotonic_ns = session.started_ns();
    let start = Instant::now();
    let mut pulse = Pulse::new(0);
    let mut load = waiting.start()?;
    let deadline = order.duration.map(|duration| start + duration);
    let mut poll = interval_at(start + POLL, POLL);
    let mut tick = interval_at(start + SLICE, SLICE);
    poll.set_missed_tick_behavior(MissedTickBehavior::Skip);
    tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut requests = 0;
    let mut warned = false;
    let ended_by = loop {
        tokio::select! {
            biased;
            _ = interrupts.recv() => break "SIGINT".to_owned(),
            _ = terminations.recv() => break "SIGTERM".to_owned(),
            () = received(hangups.as_mut()) => break "SIGHUP".to_owned(),
            _ = quits.recv() => break "SIGQUIT".to_owned(),
            () = until(deadline) => break "duration".to_owned(),
            ended = load.ended() => break ended,
            _ = tick.tick() => {
                let mut slice = session.drain()?;
                slice.system = Some(beat(&mut pulse, start));
                requests += completed(&slice);
                writer.append(&slice)?;
                if let Some(why) = session.too_dear() {
                    (order.warn)(&format!("warning: the recording ends: {why}"));
                    break format!("overhead: {why}");
                }
                (order.progress)(start.elapsed().as_secs(), &slice);
                if writer.checkpoint_due() {
                    meta.window_ns = start.elapsed().as_nanos() as u64;
                    let made = writer.checkpoint(&unfinished(&meta, &session));
                    // One that could not be made is tried again with the next slice: what is being
                    // recorded is worth more.
                    match made {
                        Err(error) if !warned => {
                            (order.warn)(&format!("warning: no checkpoint: {error:#}; going on"));
                            warned = true;
                        }
                        Err(_) => {}
                        Ok(()) => warned = false,
                    }
                }
            }
            _ = poll.tick() => session.poll(),
        }
    };
    // A workload counts to its last I/O, so it ends before the probes; how long a command takes
    // to end is not part of the recording.
    let (workload, load_error, mut closing) = if matches!(load, Running::Command(..)) {
        let closing = session.close()?;
        let (workload, error) = load.stop().await;
        (workload, error, closing)
    } else {
        let (workload, error) = load.stop().await;
        (workload, error, session.close()?)
    };
    closing.last.system = Some(beat(&mut pulse, start));
    requests += completed(&closing.last);
    writer.append(&closing.last)?;
    meta.window_ns = closing.last.at_ns + closing.last.length_ns;
    meta.ended_by.clone_from(&ended_by);
    let probes = closing.probes.clone();
    let window = Duration::from_nanos(meta.window_ns);
    let path = writer.finish(&Ending {
        meta,
        probes: closing.probes,
        stacks: closing.stacks,
        workload,
        imported: Vec::new(),
        losses: closing.losses,
        own_cost: closing.own_cost,
        extra: serde_json::Map::new(),
    })?;
    Ok(Recorded {
        path,
        ended_by,
        window,
        requests,
        probes,
        load_error,
    })
}

/// SIGHUP (signal(7)).
const HANGUP: u32 = 1;

async fn received(signals: Option<&mut Signal>) {
    match signals {
        Some(signals) => {
            signals.recv().await;
        }
        None => std::future::pending().await,
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

fn beat(pulse: &mut Pulse, start: Instant) -> SystemSlice {
    pulse.beat(start.elapsed().as_nanos() as u64)
}

fn completed(slice: &Slice) -> u64 {
    slice
        .devices
        .values()
        .flat_map(|device| device.ops.values())
        .map(|op| op.completed)
        .sum()
}

fn meta(order: &Order) -> Meta {
    let command = match &order.load {
        Load::Command(command) => Some(command.clone()),
        Load::Host | Load::Workload(_) => None,
    };
    Meta {
        tool: format!("iosage {}", env!("CARGO_PKG_VERSION")),
        started: jiff::Timestamp::now().to_string(),
        started_monotonic_ns: 0,
        window_ns: 0,
        command,
        devices: order.devices.clone(),
        ended_by: "checkpoint".to_owned(),
        extra: serde_json::Map::new(),
    }
}

/// The ending of a checkpoint: the totals that only the end knows are not in it.
fn unfinished(meta: &Meta, session: &Session) -> Ending {
    Ending {
        meta: meta.clone(),
        probes: session.probes().to_vec(),
        stacks: Vec::new(),
        workload: None,
        imported: Vec::new(),
        losses: Losses::default(),
        own_cost: OwnCost::default(),
        extra: serde_json::Map::new(),
    }
}

/// The load before it runs.
enum Waiting {
    Host,
    Command(Vec<String>),
    /// Waits in its thread for the word to begin.
    Workload(JoinHandle<Result<Workload>>, mpsc::Sender<()>, Arc<Stop>),
}

impl Waiting {
    /// Does everything that must not be recorded. SIGINT ends it.
    async fn prepare(load: Load, interrupts: &mut Signal) -> Result<Self> {
        let plan = match load {
            Load::Host => return Ok(Self::Host),
            Load::Command(command) => return Ok(Self::Command(command)),
            Load::Workload(plan) => plan,
        };
        let stop = Arc::new(Stop::default());
        let (begin, word) = mpsc::channel();
        let (ready, laid_out) = oneshot::channel();
        let stopped = Arc::clone(&stop);
        let handle = tokio::task::spawn_blocking(move || {
            let prepared = plan.prepare(&stopped)?;
            // Nobody waits any more: the recording could not begin.
            if ready.send(()).is_err() || word.recv().is_err() {
                bail!("the workload was not started");
            }
            prepared.run(&stopped)
        });
        tokio::select! {
            ready = laid_out => if ready.is_err() {
                handle.await.context("laying out the workload's files")??;
            } else {
                return Ok(Self::Workload(handle, begin, stop));
            },
            _ = interrupts.recv() => stop.set(),
        }
        bail!("interrupted while the workload's files were laid out; nothing was recorded")
    }

    fn start(self) -> Result<Running> {
        Ok(match self {
            Self::Host => Running::Host,
            Self::Command(command) => {
                let (program, arguments) = command.split_first().context("no command was given")?;
                let child = Command::new(program)
                    .args(arguments)
                    .kill_on_drop(true)
                    .spawn();
                let child = child.with_context(|| format!("starting the command `{program}`"))?;
                Running::Command(child, None)
            }
            Self::Workload(handle, begin, stop) => {
                begin
                    .send(())
                    .ok()
                    .context("the workload broke off before it began")?;
                Running::Workload(handle, stop)
            }
        })
    }
}

/// The load while it runs.
enum Running {
    Host,
    Command(Child, Option<std::io::Result<ExitStatus>>),
    Workload(JoinHandle<Result<Workload>>, Arc<Stop>),
}

impl Running {
    /// Waits for the end of the load, and says how it ended.
    async fn ended(&mut self) -> String {
        match self {
            Self::Host => std::future::pending().await,
            Self::Command(child, status) => {
                let ended = child.wait().await;
                let text = match &ended {
                    Ok(ended) => format!("command {}", describe(*ended)),
                    Err(error) => format!("command lost: {error}"),
                };
                *status = Some(ended);
                text
            }
            Self::Workload(handle, _) => {
                while !handle.is_finished() {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                "workload".to_owned()
            }
        }
    }

    /// Ends the load if it still runs.
    async fn stop(self) -> (Option<Workload>, Option<anyhow::Error>) {
        match self {
            Self::Host | Self::Command(_, Some(_)) => (None, None),
            Self::Command(mut child, None) => (None, terminate(&mut child).await.err()),
            Self::Workload(handle, stop) => {
                stop.set();
                match handle.await {
                    Ok(Ok(workload)) => (Some(workload), None),
                    Ok(Err(error)) => (None, Some(error)),
                    Err(error) => (None, Some(anyhow!("the workload broke off: {error}"))),
                }
            }
        }
    }
}

/// Asks a command to end, and ends it if it has not within five seconds.
async fn terminate(child: &mut Child) -> Result<()> {
    let pid = child
        .id()
        .and_then(|id| rustix::process::Pid::from_raw(id as i32));
    if let Some(pid) = pid {
        rustix::process::kill_process(pid, rustix::process::Signal::TERM)
            .context("asking the command to end")?;
    }
    if tokio::time::timeout(Duration::from_secs(5), child.wait())
        .await
        .is_err()
    {
        child.kill().await.context("ending the command")?;
    }
    Ok(())
}

fn describe(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with {code}"),
        (None, Some(signal)) => format!("ended by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

/// Where a capture goes unless told otherwise.
pub fn default_output() -> &'static Path {
    Path::new("iosage.capture.json.zst")
}
