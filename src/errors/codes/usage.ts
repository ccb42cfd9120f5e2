import type { CatalogueEntry } from './entry.ts'

export const usageCodes = {
  'USAGE.COMMAND': {
    exit: 64,
    title: 'invalid command line',
    explain:
      'A verb or an option is unknown, misspelt or without its value, or there is an argument too many. Put options after the verb; select hosts with `--limit`, services with `--service`. Nothing was changed. `converge VERB --help` lists the arguments and options of a verb.',
  },
  'USAGE.CODE': {
    exit: 64,
    title: 'no such code',
    explain: '`converge explain` knows the codes of refusals, warnings and errors. Run it without an argument to list them.',
  },
  'USAGE.PATTERN': {
    exit: 64,
    title: 'invalid host pattern',
    explain:
      "Host patterns follow Ansible's grammar: terms separated by `,` or `:`, each a name, a glob, or `~` with a regular expression. `&` in front keeps only those hosts, `!` removes them; `[0]`, `[-1]`, `[0:2]` and `[1:]` select by position. A pattern that has two possible meanings, or would lose a character in parsing, is an error: converge could change the wrong host.",
  },
  'USAGE.PATTERN_EMPTY': {
    exit: 64,
    title: 'an empty host pattern',
    explain:
      'A pattern without any term selects nothing. It never means every host, because it is usually a variable that a script left empty. Write `all` for every host, or omit --limit.',
  },
  'USAGE.LIMIT_FILE': {
    exit: 64,
    title: 'a file named in --limit cannot be read',
    explain:
      '`--limit @FILE` reads one host pattern per line from FILE; it ignores blank lines and lines that start with `#`. The file is missing, is a folder, or you may not read it. Without it the selected hosts are unknown. Nothing was changed.',
  },
  'USAGE.UNKNOWN_HOST': {
    exit: 64,
    title: 'no host or group of this name',
    explain:
      'A plain name in a host pattern must be a host or a group of the inventory. A misspelt name would silently leave a host out, or after `!` leave one in. `converge hosts` lists the hosts.',
  },
  'USAGE.NO_HOSTS': {
    exit: 64,
    title: 'a host pattern selects no host',
    explain:
      'The pattern is valid and its names exist, but it selects no host, or a position such as `[7]` does not exist. `converge hosts --limit PATTERN` shows what a pattern selects.',
  },
  'USAGE.SHARD': {
    exit: 64,
    title: 'a shard that cannot be made out',
    explain:
      '`--shard 3/8` takes the third of eight parts of the selected hosts; `CONVERGE_SHARD` is its default. Without both, the variables of the engine that started the job count: those of a Kubernetes Indexed Job with `CONVERGE_SHARDS`, a Slurm array, `parallel` of GitLab or `parallelism` of Buildkite. `auto` insists on them, and `none` takes all hosts. Variables that are half set, or contradict each other, are an error: a wrong part of the fleet would be left out. `--limit @failed` in shards needs a `--run-id`, because another shard of the same run would otherwise count as the last run.',
  },
  'USAGE.WHOLE_FLEET': {
    exit: 64,
    title: 'something that cannot be done in shards',
    explain:
      'Shards are processes of their own that do not wait for each other. Whatever goes by the results of other hosts would be wrong in each of them: batches (`serial`), a share of failures (`max_fail_percentage`), several plays in order, the canary of `upgrade`, a profile that is used as a whole, a list of endpoints, the files of the inventory. Nothing was done. Run it once, unsharded; or save a plan for each wave with `plan --out` and apply one after another.',
  },
  'USAGE.UNKNOWN_SERVICE': {
    exit: 64,
    title: 'no service of this name',
    explain:
      'No service of the selected hosts matches the name or glob given with --service or in a play. Use the names under `services:` in the inventory; they are case-sensitive.',
  },
  'USAGE.ALLOW': {
    exit: 64,
    title: 'an incomplete approval (`--allow`)',
    explain:
      '`--allow CODE@SERVICE` or `--allow CODE@SERVICE@HOST` overrules one refusal. SERVICE may be a glob, and `--reason` must say why. Both are part of the report.',
  },
  'USAGE.CONFIRM': {
    exit: 64,
    title: 'no terminal to ask on',
    explain:
      '`converge apply` shows its plan and asks for confirmation. In CI and in scripts it cannot ask: use `-y` there to confirm what the plan shows. `-y` overrules no refusal. `converge unlock` shows the holder of the lock and asks as well. There `-y` removes a dead lock; a living one also needs `--living`.',
  },
  'USAGE.OUTPUT_FILE': {
    exit: 64,
    title: 'the result could not be written to a file',
    explain:
      '`--format FORMAT=FILE` writes the result to a file, completely or not at all. The folder must exist and be writable. A named pipe is written to, and must have a reader within five seconds. stdout and stderr are not files: use `--format FORMAT` alone to replace the text on stdout.',
  },
  'USAGE.SCHEMA_FILE': {
    exit: 64,
    title: 'a schema file that was edited',
    explain:
      '`converge schema --write` replaces only files that it wrote itself and that were not edited since. Another file has the name of a schema. Nothing was written. Rename that file and run the command again.',
  },
  'USAGE.FACTS': {
    exit: 64,
    title: 'options that cannot be combined with a facts snapshot',
    explain:
      '`--facts DIR` plans from files and contacts no host. It cannot produce what needs the hosts: a saved plan for `apply`, or the events of a run. `--facts-max-age` limits the age of such files, so it needs `--facts`.',
  },
  'USAGE.UNTIL': {
    exit: 64,
    title: 'an end that is not ahead',
    explain:
      '`--until` says how long a service stays stopped or running, whatever the inventory says. It takes a time within the next year, a duration, `next-apply` or `revert`. Nothing was done.',
  },
  'USAGE.SERVICE': {
    exit: 64,
    title: 'no such service',
    explain:
      'A command such as `converge render SERVICE@HOST` is about one service of the inventory. The inventory has none of this name, or several hosts have one. Omit `@HOST` if only one host has a service of that name. No host was contacted.',
  },
} as const satisfies Record<string, CatalogueEntry>
