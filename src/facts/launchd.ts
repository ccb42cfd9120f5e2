import type { LaunchAgent, LaunchdFact } from '../model/launchd-fact.ts'
import { known, type Observed, unknown } from '../model/observed.ts'
import { complaint, type Fact, type FactContext, firstWords, linesOf, readSection, strangeLine } from './fact.ts'
import { parseDisabled, parseJob } from './parse-launchctl.ts'

/** From `grep`: the mark of a file that is named by it. A copy under another name is no agent of ours. */
const markedAgent =
  's#^.*/\\(com\\.[A-Za-z0-9._-]*\\)\\.plist:<!-- converge: managed \\(com\\.[A-Za-z0-9._-]*\\) -->.*$#|\\1 \\2#p'

/**
 * Agents of the account that logged in live in its gui domain, wherever we are ourselves; `list` would look in the domain of our
 * own session and miss them. Each part is `@NAME …`, its text after bars, then `@ended STATUS`.
 */
const macos = `
if ! has launchctl; then
  echo 'launchctl: not found' >&2
  return 127
fi
prefix=
for asked in "$@"; do
  case $asked in org=*) prefix=com.\${asked#org=}. ;; esac
done
domain=gui/\${SUDO_UID:-$uid}
part() {
  title=$1
  shift
  printf '@%s\\n' "$title"
  answer_of "$@"
  printf '%s\\n' "$words" | sed 's/^/|/'
  printf '@ended %s\\n' "$status"
}
parts() {
  printf '@marked\\n'
  grep '^<!-- converge: managed com\\.' "$home"/Library/LaunchAgents/*.plist /dev/null 2>/dev/null |
    sed -n '${markedAgent}'
  printf '@ended 0\\n'
  part manager launchctl managername
  part disabled launchctl print-disabled "$domain"
  answer_of launchctl print "$domain"
  services=$words
  printf '@domain\\n'
  if [ "$status" != 0 ]; then printf '%s\\n' "$services" | sed 's/^/|/'; fi
  printf '@ended %s\\n' "$status"
  labels=$(printf '%s\\n' "$services" | awk -v prefix="$prefix" 'NF == 3 && $1 ~ /^[0-9]+$/ && index($3, prefix) == 1 { print $3 }')
  for asked in "$@"; do
    case $asked in
    definition=*/LaunchAgents/*.plist)
      label=\${asked##*/}
      labels="$labels \${label%.plist}"
      ;;
    esac
  done
  told=' '
  for label in $labels; do
    case $told in *" $label "*) continue ;; esac
    told="$told$label "
    part "job $label" launchctl print "$domain/$label"
  done
}
parts "$@" | awk "$redactor"
`

/** The fleet's agents as launchd has them loaded, and what is disabled. */
export const launchd: Fact<Observed<LaunchdFact>> = {
  section: { name: 'launchd', sh: { macos }, apart: true },
  parse: (section, context) => readSection(section, (text) => readLaunchd(text, context)),
}

interface Part {
  readonly title: string
  readonly text: string
  readonly status: number
}

/** Undefined: there is something in it that belongs to no part, or one part came twice. */
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

/** As the script derives them: what it was asked about it answers, also where that is not loaded. */
function askedLabels({ question }: FactContext): readonly string[] {
  return question.definitions.flatMap((path) => /\/LaunchAgents\/([^/]*)\.plist$/.exec(path)?.[1] ?? [])
}

function readLaunchd(text: string, context: FactContext): Observed<LaunchdFact> {
  const parts = partsIn(text)
  if (parts === undefined) return unknown('unreadable', 'what launchctl told did not arrive whole')
  const find = (title: string) => parts.find((part) => part.title === title)
  const domain = find('domain')
  if (domain === undefined) return unknown('unreadable', 'launchctl told nothing')
  if (domain.status !== 0) return noDomain(domain)
  const untold = askedLabels(context).find((label) => find(`job ${label}`) === undefined)
  if (untold !== undefined) return unknown('unreadable', `launchctl did not tell about ${untold}`)
  const strange = strangeLine(linesOf(find('marked')?.text ?? ''), /^com\.[\w.-]+ com\.[\w.-]+$|^$/)
  if (strange !== undefined) return strange
  const agents: LaunchAgent[] = []
  for (const part of parts.filter(({ title }) => title.startsWith('job '))) {
    const agent = readAgent(part.title.slice('job '.length), part)
    if (!agent.known) return agent
    if (agent.value !== null) agents.push(agent.value)
  }
  return known({
    agents: Object.fromEntries(agents.map((agent) => [agent.label, agent])),
    disabled: read(find('disabled'), (words) => parseDisabled(words)),
    managerName: read(find('manager'), (words) => words.trim()),
    ...markedIn(find('marked')),
  })
}

function markedIn(part: Part | undefined): Pick<LaunchdFact, 'marked'> {
  const labels = linesOf(part?.text ?? '').flatMap((line) => {
    const [file, mark] = line.split(' ')
    return file !== undefined && file === mark ? [mark] : []
  })
  return labels.length === 0 ? {} : { marked: labels }
}

/** 112 and 125: nobody is logged in at the screen, or not yet. What runs there cannot be told, which is not: nothing runs. */
function noDomain({ status, text }: Part): Observed<never> {
  if (status === 112 || status === 125)
    return unknown('unreadable', 'nobody is logged in at the screen, so there is no gui domain to look into')
  return complaint({ status, stderr: text })
}

function read<T>(part: Part | undefined, parse: (text: string) => T): Observed<T> {
  if (part === undefined) return unknown('not-gathered')
  return part.status === 0 ? known(parse(part.text)) : complaint({ status: part.status, stderr: part.text })
}

/** 113: launchd does not know such a job: not loaded. */
function readAgent(label: string, { status, text }: Part): Observed<LaunchAgent | null> {
  if (status === 113) return known(null)
  if (status !== 0) return unknown('unreadable', `launchctl print ${label}: ${firstWords(text) ?? `exit ${status}`}`)
  const job = parseJob(text)
  if (job.label !== label) return unknown('unreadable', `launchctl print ${label} does not begin as the answer for it`)
  if (job.state === 'running' && job.pid === null)
    return unknown('unreadable', `launchctl print ${label} says that it runs, and does not tell its process`)
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

/** Without what this version of launchctl does not tell. */
function present<T extends object>(fields: T): Present<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is null is left out
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Present<T>
}

type Present<T> = { readonly [K in keyof T]?: NonNullable<T[K]> }
