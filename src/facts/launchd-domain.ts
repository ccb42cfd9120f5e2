import { defined } from '../lib/defined.ts'
import type { LaunchAgent, LaunchdJobs } from '../model/launchd-fact.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import { complaint, type FactContext, firstWords, linesOf, strangeLine } from './fact.ts'
import { lastOutput } from './last-output.ts'
import { parseDisabled, parseJob } from './parse-launchctl.ts'

/** For awk: a bar before each line of so many bytes as `said` announces, which no words can fake. */
const barred = `
  left <= 0 && /^#[0-9]+$/ { left = substr($0, 2) + 1; next }
  left > 0 { left -= length($0) + 1; $0 = "|" $0 }
`

/** Where one domain of launchd is, and where its property lists are: words for the shell. */
export interface DomainScript {
  readonly domain: string
  /** `"$home"/Library/LaunchAgents` */
  readonly folder: string
  /** Its name, by which asked definitions are recognised. */
  readonly folderName: string
  /** Further parts, one line each. */
  readonly more: readonly string[]
}

const beginning = `
if ! has launchctl; then
  echo 'launchctl: not found' >&2
  return 127
fi
prefix=
for asked in "$@"; do
  case $asked in org=*) prefix=com.\${asked#org=}. ;; esac
done
part() {
  title=$1
  shift
  answer_of 10 "$@"
  say_part
}
say_part() { printf '@%s\\n#%s\\n%s\\n@ended %s\\n' "$title" "\${#words}" "$words" "$status"; }
# marked_jobs: sets $marked to the labels of files and their ownership labels in $labelled, as grep found them
marked_jobs() {
  marked=
  set -f
  IFS=$line_break
  for row in $labelled; do
    owner_in "$row" .plist '<!-- converge: managed ' ' -->' || continue
    marked="$marked$line_break|$name $label"
  done
  unset IFS
  set +f
}
# fleet_jobs: sets $labels to those of the fleet among the services in $words
fleet_jobs() {
  labels=
  set -f
  IFS='
'
  for row in $words; do
    unset IFS
    # shellcheck disable=SC2086 # three words
    case $row in *"$prefix"*) fleet_job $row ;; esac
  done
  set +f
  unset IFS
}
# fleet_job PID STATUS LABEL: a row of them
fleet_job() {
  if [ $# != 3 ]; then return; fi
  case $1 in '' | *[!0-9]*) return ;; esac
  case $3 in "$prefix"*) labels="$labels $3" ;; esac
}
last_output() {
  title="log $label"
  words=$(tail -n 6 "$1" | shorten)
  status=$?
  say_part
}`

/**
 * Asks launchd about the fleet's jobs in one domain: those with its prefix, those with a marked property list, and those that are asked for.
 * Each part is `@NAME …`, its text after bars, then `@ended STATUS`.
 */
export function domainScript({ domain, folder, folderName, more }: DomainScript): string {
  return `${beginning}
domain=${domain}
labelled=$(exec grep '^<!-- converge: managed com\\.' ${folder}/*.plist /dev/null 2>/dev/null)
parts() {
  marked_jobs
  printf '@marked\\n%s\\n@ended 0\\n' "\${marked#"$line_break"}"
  ${more.join('\n  ')}
  part disabled launchctl print-disabled "$domain"
  answer_of 10 launchctl print "$domain"
  printf '@domain\\n'
  if [ "$status" != 0 ]; then printf '#%s\\n%s\\n' "\${#words}" "$words"; fi
  printf '@ended %s\\n' "$status"
  fleet_jobs
  for asked in $marked "$@"; do
    case $asked in
    '|'*) labels="$labels \${asked#|}" ;;
    definition=*/${folderName}/*.plist)
      label=\${asked##*/}
      labels="$labels \${label%.plist}"
      ;;
    esac
  done
  printed=' ' plain=113
  for label in $labels; do
    case $printed in *" $label "*) continue ;; esac
    printed="$printed$label "
    part "job $label" launchctl print "$domain/$label"
    case $words in *'state = spawn scheduled'*) ;; *) continue ;; esac
    log=$(printf '%s\\n' "$words" | sed -n 's/^.stdout path = //p')
    if [ -f "$log" ] && [ ! -L "$log" ]; then last_output "$log"; fi
  done
}
parts "$@" | awk '${barred}'"$redactor"
`
}

export interface Part {
  readonly title: string
  readonly text: string
  readonly status: number
}

/** Undefined: text outside of any part, or a duplicate part. */
function partsIn(text: string): readonly Part[] | undefined {
  const shape = /^@(?!ended )(.+)\n((?:\|.*\n|\n)*)@ended (\d{1,3})\n?/gm
  const parts = [...text.matchAll(shape)].map(([, title = '', body = '', status]) => ({
    title,
    text: body.replace(/^\|/gm, ''),
    status: Number(status),
  }))
  const isWhole = text.replace(shape, '').trim() === '' && new Set(parts.map(({ title }) => title)).size === parts.length
  return isWhole ? parts : undefined
}

/** Labels as the script derives them: it answers for each, loaded or not. */
function askedLabels({ question }: FactContext, folderName: string): readonly string[] {
  return question.definitions.flatMap((path) => new RegExp(`/${folderName}/([^/]*)\\.plist$`).exec(path)?.[1] ?? [])
}

/** The jobs of one domain, and the other parts of its section. */
export interface DomainParts extends LaunchdJobs {
  readonly find: (title: string) => Part | undefined
}

export function readDomain(text: string, context: FactContext, folderName: string): Observed<DomainParts> {
  const parts = partsIn(text)
  if (parts === undefined) return unknown('unreadable', 'the output of launchctl is incomplete')
  const find = (title: string) => parts.find((part) => part.title === title)
  const domain = find('domain')
  if (domain === undefined) return unknown('unreadable', 'launchctl printed nothing')
  if (domain.status !== 0) return noDomain(domain)
  const unanswered = askedLabels(context, folderName).find((label) => find(`job ${label}`) === undefined)
  if (unanswered !== undefined) return unknown('unreadable', `launchctl reported nothing about ${unanswered}`)
  const strange = strangeLine(linesOf(find('marked')?.text ?? ''), /^[\w.-]+ com\.[\w.-]+$|^$/)
  if (strange !== undefined) return strange
  const agents: LaunchAgent[] = []
  for (const part of parts.filter(({ title }) => title.startsWith('job '))) {
    const label = part.title.slice('job '.length)
    const agent = readPart(label, part)
    if (!agent.known) return agent
    if (agent.value !== null) agents.push({ ...agent.value, ...outputIn(find(`log ${label}`)) })
  }
  return known({
    agents: Object.fromEntries(agents.map((agent) => [agent.label, agent])),
    disabled: readWords(find('disabled'), (words) => parseDisabled(words)),
    ...markedIn(find('marked')),
    find,
  })
}

function outputIn(log: Part | undefined): Pick<LaunchAgent, 'lastOutput'> {
  return defined({ lastOutput: lastOutput(linesOf(log?.text ?? '')) })
}

function markedIn(part: Part | undefined): Pick<LaunchdJobs, 'marked' | 'markedAs'> {
  const pairs = linesOf(part?.text ?? '').flatMap((line) => {
    const [label, mark] = line.split(' ')
    return label === undefined || mark === undefined || label === '' ? [] : [[label, mark] as const]
  })
  const own = pairs.filter(([label, mark]) => label === mark).map(([label]) => label)
  const others = pairs.filter(([label, mark]) => label !== mark)
  return {
    ...(own.length === 0 ? {} : { marked: own }),
    ...(others.length === 0 ? {} : { markedAs: Object.fromEntries(others) }),
  }
}

/** 112 and 125: no user is logged in at the screen, or not yet. */
function noDomain({ status, text }: Part): Observed<never> {
  if (status === 112 || status === 125)
    return unknown('no-session', 'no user is logged in at the screen, so there is no gui domain')
  return complaint({ status, stderr: text })
}

export function readWords<T>(part: Part | undefined, parse: (text: string) => T): Observed<T> {
  if (part === undefined) return unknown('not-gathered')
  return part.status === 0 ? known(parse(part.text)) : complaint({ status: part.status, stderr: part.text })
}

/** 113: not loaded. */
function readPart(label: string, { status, text }: Part): Observed<LaunchAgent | null> {
  if (status === 113) return known(null)
  if (status !== 0) return unknown('unreadable', `launchctl print ${label}: ${firstWords(text) ?? `exit ${status}`}`)
  return readJob(label, text)
}

/** A job as `launchctl print DOMAIN/LABEL` shows it, redacted. */
export function readJob(label: string, text: string): Observed<LaunchAgent> {
  const job = parseJob(text)
  if (job.label !== label) return unknown('unreadable', `launchctl print ${label} did not answer about that label`)
  if (job.state === 'running' && job.pid === null)
    return unknown('unreadable', `launchctl print ${label} reports it as running but gives no pid`)
  const { pid, lastExit, state, runs, lastSignal, lastReason, path, pended, environment, stdoutPath, exitTimeoutS } = job
  return known({
    label,
    pid,
    lastExit,
    ...present({ state, runs, lastSignal, lastReason, path, pended }),
    arguments: job.arguments,
    ...present({ environment, stdoutPath, exitTimeoutS }),
  })
}

/** Omits what this version of launchctl does not report. */
function present<T extends object>(fields: T): Present<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- null values are filtered out
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Present<T>
}

type Present<T> = { readonly [K in keyof T]?: NonNullable<T[K]> }
