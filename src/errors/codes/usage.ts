import type { CatalogueEntry } from './entry.ts'

export const usageCodes = {
  'USAGE.COMMAND': {
    exit: 64,
    title: 'the command line cannot be read',
    explain:
      'A verb or an option is unknown, misspelt or without its value, or there is an argument too many. Options stand behind the verb; hosts are selected with `--limit`, services with `--service`. Nothing was done. `converge VERB --help` lists what a verb takes.',
  },
  'USAGE.CODE': {
    exit: 64,
    title: 'there is no such code',
    explain: '`converge explain` knows the codes of refusals, warnings and errors; without an argument it lists them.',
  },
  'USAGE.PATTERN': {
    exit: 64,
    title: 'a host pattern cannot be read',
    explain:
      "Host patterns follow Ansible's grammar: terms separated by `,` or `:`, each a name, a glob, or `~` with a regular expression; `&` in front keeps only those hosts, `!` takes them out; `[0]`, `[-1]`, `[0:2]` and `[1:]` pick by position. What could be read in two ways, or would lose a character in reading, is an error here: the wrong host could be touched.",
  },
  'USAGE.PATTERN_EMPTY': {
    exit: 64,
    title: 'a host pattern is empty',
    explain:
      'A pattern without any term selects nothing. It never means every host, because it is mostly a variable that a script left empty. Write `all` for every host, or leave --limit out.',
  },
  'USAGE.LIMIT_FILE': {
    exit: 64,
    title: 'a file named in --limit cannot be read',
    explain:
      '`--limit @FILE` reads one host pattern per line from FILE; blank lines and lines that start with `#` are passed over. The file is missing, is a folder, or you may not read it. Without it nobody knows which hosts were meant, so nothing is done.',
  },
  'USAGE.UNKNOWN_HOST': {
    exit: 64,
    title: 'there is no host or group of this name',
    explain:
      'A plain name in a host pattern has to be a host or a group of the inventory. A misspelt name would leave a host out, or after `!` leave one in, without anybody noticing. `converge hosts` lists the hosts.',
  },
  'USAGE.NO_HOSTS': {
    exit: 64,
    title: 'a host pattern selects no host',
    explain:
      'The pattern can be read and its names exist, but no host is left, or a position such as `[7]` does not exist. `converge hosts --limit PATTERN` shows what a pattern selects.',
  },
  'USAGE.UNKNOWN_SERVICE': {
    exit: 64,
    title: 'there is no service of this name',
    explain:
      'No service of the selected hosts matches the name or glob given with --service or in a play. Names are those under `services:` of the inventory; the case of letters counts.',
  },
  'USAGE.ALLOW': {
    exit: 64,
    title: 'a consent is not complete',
    explain:
      '`--allow CODE@SERVICE` or `--allow CODE@SERVICE@HOST` overrules one refusal, SERVICE may be a glob, and `--reason` has to say why. Both go into the report.',
  },
  'USAGE.CONFIRM': {
    exit: 64,
    title: 'there is no terminal to ask on',
    explain:
      '`converge apply` shows its plan and asks. In CI and in scripts nobody can answer: there `-y` says that what the plan shows may be done. It overrules no refusal. `converge unlock` shows who holds the lock and asks as well; there `-y` takes away a dead lock, and a living one only with `--living`.',
  },
  'USAGE.OUTPUT_FILE': {
    exit: 64,
    title: 'the result could not be written into a file',
    explain:
      '`--format FORMAT=FILE` writes the result into a file, whole or not at all. The folder has to exist and be writable. A named pipe is written to, and has to have a reader within five seconds. stdout and stderr are no files: `--format FORMAT` alone takes the place of the text on stdout.',
  },
  'USAGE.FACTS': {
    exit: 64,
    title: 'options cannot be combined with a facts snapshot',
    explain:
      '`--facts DIR` plans from files without looking at any host. What needs the hosts cannot be had of it: a plan that is saved for `apply`, or events of a run over hosts. `--facts-max-age` says something about such files, so it needs `--facts`.',
  },
  'USAGE.RENDER': {
    exit: 64,
    title: 'there is no such definition to render',
    explain:
      '`converge render SERVICE@HOST` shows the definition file of one service of the inventory as it would be written; `@HOST` may be left out where only one host has a service of that name. Nothing is contacted.',
  },
} as const satisfies Record<string, CatalogueEntry>
