//! `iosage doctor`: what can be measured here, why not, and whether it is measured right.

use super::say;
use crate::{
    capture::{ProbeState, ProbeStatus},
    exit::{CannotMeasure, Outcome},
    host::Host,
    kernel::support::{self, Need},
    session::{self, Check, Choice, Failure, Session, Settings},
};
use anyhow::Result;
use clap::ValueEnum;
use comfy_table::{Table, presets};
use serde::Serialize;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Leave out the self-check, which mounts a small scratch image in memory for a moment
    #[arg(long)]
    pub no_self_check: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Format {
    Text,
    Json,
}

/// One line of the table.
#[derive(Debug, Serialize)]
struct Row {
    id: String,
    /// `ok`, `partial`, `off`, `unavailable`, `failed`, `not-checked`.
    state: &'static str,
    reason: Option<String>,
}

#[derive(Debug, Serialize)]
struct Diagnosis {
    tool: String,
    host: Vec<Row>,
    probes: Vec<Row>,
    devices: Vec<Row>,
    self_check: Vec<Row>,
    can_measure: bool,
}

pub fn run(args: Args) -> Result<Outcome> {
    let diagnosis = diagnose(!args.no_self_check);
    match args.format {
        Format::Json => say::out(&format!("{}\n", serde_json::to_string_pretty(&diagnosis)?))?,
        Format::Text => say::out(&text(&diagnosis))?,
    }
    if diagnosis.can_measure {
        return Ok(Outcome::Fine);
    }
    let groups = [&diagnosis.host, &diagnosis.probes, &diagnosis.self_check];
    let bad = groups
        .into_iter()
        .flatten()
        .filter(|row| matches!(row.state, "unavailable" | "failed"));
    let line = |row: &Row| {
        format!(
            "{}: {}",
            row.id,
            row.reason.as_deref().unwrap_or("no reason known")
        )
    };
    Err(CannotMeasure {
        missing: bad.map(line).collect(),
    }
    .into())
}

fn diagnose(self_check: bool) -> Diagnosis {
    let host: Vec<Row> = support::needs().iter().map(need).collect();
    let opened = Session::open(&Settings::default(), &Host::live());
    let (probes, devices) = match &opened {
        Ok(session) => (
            session.probes().iter().map(probe).collect(),
            session.devices().iter().map(device).collect(),
        ),
        Err(error) => (not_attached(error), Vec::new()),
    };
    let can_attach = opened.is_ok();
    // Detached before the self-check attaches its own.
    drop(opened);
    let checks = if self_check && can_attach {
        checks()
    } else {
        Vec::new()
    };
    let can_measure = can_attach && checks.iter().all(|row| row.state != "failed");
    let tool = format!("iosage {}", env!("CARGO_PKG_VERSION"));
    Diagnosis {
        tool,
        host,
        probes,
        devices,
        self_check: checks,
        can_measure,
    }
}

fn need(need: &Need) -> Row {
    let reason = match &need.problem {
        Some(problem) => format!("{}; {problem}", need.found),
        None => need.found.clone(),
    };
    let state = if need.problem.is_some() {
        "unavailable"
    } else {
        "ok"
    };
    Row {
        id: need.what.to_owned(),
        state,
        reason: Some(reason),
    }
}

fn probe(status: &ProbeStatus) -> Row {
    let state = match status.state {
        ProbeState::Ok => "ok",
        ProbeState::Partial => "partial",
        ProbeState::Off => "off",
        ProbeState::Unavailable => "unavailable",
        ProbeState::Failed => "failed",
        ProbeState::Shed => "shed",
    };
    Row {
        id: status.id.clone(),
        state,
        reason: status.reason.clone(),
    }
}

fn not_attached(error: &anyhow::Error) -> Vec<Row> {
    let missing = match error.downcast_ref::<CannotMeasure>() {
        Some(cannot) => cannot.missing.join("; "),
        None => format!("{error:#}"),
    };
    let row = |id: &str| Row {
        id: id.to_owned(),
        state: "unavailable",
        reason: Some(missing.clone()),
    };
    session::probe_ids().into_iter().map(row).collect()
}

fn device(choice: &Choice) -> Row {
    let state = if choice.left_out.is_none() {
        "ok"
    } else {
        "off"
    };
    Row {
        id: choice.name.clone(),
        state,
        reason: choice.left_out.clone(),
    }
}

fn checks() -> Vec<Row> {
    match session::self_check() {
        Ok(checks) => checks.into_iter().map(check).collect(),
        Err(error) => vec![Row {
            id: "all groups".to_owned(),
            state: "not-checked",
            reason: Some(format!("{error:#}")),
        }],
    }
}

fn check(check: Check) -> Row {
    let (state, reason) = match check.result {
        Ok(agreed) => ("ok", agreed),
        Err(Failure::Disagrees(what)) => ("failed", what),
        Err(Failure::NotChecked(why)) => ("not-checked", why),
    };
    Row {
        id: check.group.to_owned(),
        state,
        reason: Some(reason),
    }
}

fn text(diagnosis: &Diagnosis) -> String {
    let mut text = format!("{}\n", diagnosis.tool);
    let parts = [
        ("host", &diagnosis.host),
        ("probe groups", &diagnosis.probes),
        ("devices", &diagnosis.devices),
        ("self-check", &diagnosis.self_check),
    ];
    for (title, rows) in parts {
        if rows.is_empty() {
            continue;
        }
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        for row in rows {
            table.add_row([&row.id, row.state, row.reason.as_deref().unwrap_or("")]);
        }
        text += &format!("\n{title}\n{table}\n");
    }
    if diagnosis.self_check.is_empty() {
        text += "\nself-check: not run\n";
    }
    text
}
