//! `${ENV}` and fio's keywords `$pagesize`, `$mb_memory`, `$ncpus` inside values.

use std::collections::BTreeMap;

/// Where the names in a job file get their values from.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    environment: BTreeMap<String, String>,
    keywords: Vec<(&'static str, u64)>,
}

impl Variables {
    /// The environment of this process and the facts of this host.
    pub fn of_this_process() -> Self {
        let environment = std::env::vars_os()
            .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)))
            .collect();
        Self::new(environment)
    }

    /// Given variables and the facts of this host.
    pub fn new(environment: BTreeMap<String, String>) -> Self {
        let info = rustix::system::sysinfo();
        // Older kernels count in units, newer ones in bytes (unit 1): their product holds for both.
        let bytes = u128::from(info.totalram) * u128::from(info.mem_unit.max(1));
        let cpus = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
        Self {
            environment,
            keywords: vec![
                ("$pagesize", rustix::param::page_size() as u64),
                ("$mb_memory", u64::try_from(bytes >> 20).unwrap_or(u64::MAX)),
                ("$ncpus", cpus),
            ],
        }
    }

    /// The text with names replaced, and the variables that were not set.
    pub fn expand(&self, text: &str) -> (String, Vec<String>) {
        let mut out = String::with_capacity(text.len());
        let mut unset = Vec::new();
        let mut rest = text;
        while let Some(dollar) = rest.find('$') {
            out.push_str(&rest[..dollar]);
            rest = &rest[dollar..];
            let used = self.one(rest, &mut out, &mut unset);
            rest = &rest[used..];
        }
        out.push_str(rest);
        (out, unset)
    }

    /// Replaces the name that `text` (beginning with `$`) starts with; how many bytes it took.
    fn one(&self, text: &str, out: &mut String, unset: &mut Vec<String>) -> usize {
        if let Some(inner) = text.strip_prefix("${")
            && let Some(end) = inner.find('}')
        {
            let name = &inner[..end];
            match self.environment.get(name) {
                Some(value) => out.push_str(value),
                None => unset.push(name.to_owned()),
            }
            return end + 3;
        }
        for (keyword, value) in &self.keywords {
            if text.starts_with(keyword) {
                out.push_str(&value.to_string());
                return keyword.len();
            }
        }
        out.push('$');
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_and_missing_ones_reported() {
        let variables = Variables::new(BTreeMap::from([("SZ".to_owned(), "128k".to_owned())]));
        let page = rustix::param::page_size();
        assert_eq!(variables.expand("${SZ}"), ("128k".to_owned(), vec![]));
        assert_eq!(
            variables.expand("4*$pagesize"),
            (format!("4*{page}"), vec![])
        );
        let (text, unset) = variables.expand("x-${UNSETVAR}y");
        assert_eq!((text.as_str(), unset), ("x-y", vec!["UNSETVAR".to_owned()]));
        assert_eq!(variables.expand("$jobname.$filenum").0, "$jobname.$filenum");
        assert_eq!(variables.expand("a${open$").0, "a${open$");
    }

    #[test]
    fn memory_is_what_proc_meminfo_says() {
        let meminfo = std::fs::read_to_string("/proc/meminfo").unwrap();
        let kib: u64 = meminfo.split_whitespace().nth(1).unwrap().parse().unwrap();
        let (text, _) = Variables::new(BTreeMap::new()).expand("$mb_memory");
        assert_eq!(text.parse::<u64>().unwrap(), kib / 1024);
    }
}
