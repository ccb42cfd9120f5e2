import { parseDf } from '../../src/facts/disks.ts'
import { facts as registry } from '../../src/facts/index.ts'
import { parseSysctl, parseVmStat } from '../../src/facts/memory-macos.ts'
import { parseDisabled, parseJob, parseList } from '../../src/facts/parse-launchctl.ts'
import { parseLsof } from '../../src/facts/parse-lsof.ts'
import { parseNetstat } from '../../src/facts/parse-netstat.ts'
import { parseProcNet } from '../../src/facts/parse-proc-net.ts'
import { parsePmset } from '../../src/facts/power.ts'
import { known } from '../../src/model/observed.ts'
import { question } from './question-with.ts'

/** What the index says a right parser reads from a capture; which keys there are differs from one to the next. */
export interface Facts {
  readonly [name: string]: unknown
  readonly byMount?: Readonly<Record<string, Facts>>
  readonly kB?: Readonly<Record<string, number>>
  readonly listen?: readonly unknown[]
  readonly sshd?: { readonly pid: number; readonly addrs: readonly string[]; readonly families: readonly string[] }
}

/** Compares captures of some commands: the result of our parser, and the expected one, for the keys of the index. */
export interface CaptureReader {
  readonly commands: RegExp
  readonly compare: (text: string, facts: Facts) => { readonly actual: Facts; readonly right: Facts }
}

const pageNames = {
  free: 'Pages free',
  active: 'Pages active',
  inactive: 'Pages inactive',
  speculative: 'Pages speculative',
  wired: 'Pages wired down',
  purgeable: 'Pages purgeable',
  fileBacked: 'File-backed pages',
  anonymous: 'Anonymous pages',
  occupiedByCompressor: 'Pages occupied by compressor',
} as const

export const captureReaders: readonly CaptureReader[] = [
  { commands: /^vm_stat$/, compare: (text, facts) => sameKeys(vmStatFacts(text), facts) },
  {
    commands: /^sysctl \(/,
    compare: (text, facts) => sameKeys(Object.fromEntries(parseSysctl(text)), pick(facts, ['hw.memsize', 'hw.pagesize'])),
  },
  { commands: /^launchctl print (gui|system|user)\/\S/, compare: compareJob },
  { commands: /^launchctl print-disabled/, compare: compareDisabled },
  { commands: /^launchctl list$/, compare: compareList },
  { commands: /^df( -i)?$/, compare: compareDf },
  {
    commands: /^netstat -anp tcp$/,
    compare: compareNetstat,
  },
  {
    commands: /^netstat -lnp$/,
    compare: (text) => ({
      actual: { pids: parseNetstat(text).map(({ pid }) => pid.known) },
      right: { pids: [true, true, true, true] },
    }),
  },
  { commands: /^lsof .*-F/, compare: compareLsof },
  { commands: /^cat \/proc\/meminfo$/, compare: compareMeminfo },
  { commands: /^cat \/proc\/net\/tcp$/, compare: compareProcNet },
  { commands: /^sw_vers$/, compare: compareVersion },
  { commands: /^ps -o command=/, compare: compareCommand },
  { commands: /^pmset -g custom$/, compare: comparePower },
]

function pick(facts: Facts, names: readonly string[]): Facts {
  return Object.fromEntries(names.flatMap((name) => (name in facts ? [[name, facts[name]]] : [])))
}

function sameKeys(actual: Facts, right: Facts): { actual: Facts; right: Facts } {
  const names = Object.keys(right).filter((name) => name in actual)
  return { actual: pick(actual, names), right: pick(right, names) }
}

function vmStatFacts(text: string): Facts {
  const stat = parseVmStat(text)
  const pages = Object.entries(pageNames).map(([name, words]) => [name, stat?.pages.get(words) ?? null])
  return { pageSize: stat?.pageSize, ...Object.fromEntries(pages) }
}

/** An answer that is an error goes through the whole fact, because what it means is decided there. */
function compareJob(text: string, facts: Facts): { actual: Facts; right: Facts } {
  const exit = facts['exit']
  if (typeof exit === 'number') return compareRefused(text, exit)
  // One capture was made with grep -n.
  const job = parseJob(text.replace(/^\d+:(?=\t)/gm, ''))
  const actual = {
    ...job,
    semaphores: job.successfulExit === null ? undefined : { 'successful exit': job.successfulExit ? 1 : 0 },
  }
  // Excerpts without their first line do not name the job; "null" in the index also stands for a line that was cut away.
  const names = Object.keys(facts).filter((name) => name !== 'label' || job.label !== null)
  return sameKeys(actual, pick(facts, names))
}

function compareRefused(text: string, exit: number): { actual: Facts; right: Facts } {
  const section =
    exit === 113 ? part('domain', '', 0) + part('job com.example.x', text.trimEnd(), exit) : part('domain', text.trimEnd(), exit)
  const fact = registry.launchd.parse(known({ status: 0, text: section, stderr: '' }), { question: question() })
  const actual = fact.known ? { agents: fact.value.agents } : { because: fact.because }
  return {
    actual,
    right: exit === 113 ? { agents: {} } : { because: exit === 112 || exit === 125 ? 'no-session' : 'unreadable' },
  }
}

function part(title: string, words: string, status: number): string {
  return `@${title}\n${words.replace(/^(?=.)/gm, '|')}\n@ended ${status}\n`
}

function compareDisabled(text: string, facts: Facts): { actual: Facts; right: Facts } {
  const disabled = parseDisabled(text)
  const labels = Object.keys(facts).filter((name) => name.includes('.'))
  return {
    actual: Object.fromEntries(labels.map((label) => [label, disabled.includes(label) ? 'disabled' : 'enabled'])),
    right: pick(facts, labels),
  }
}

function compareList(text: string, facts: Facts): { actual: Facts; right: Facts } {
  const jobs = parseList(text)
  const actual = { rows: jobs.length, ...Object.fromEntries(jobs.map(({ label, pid, status }) => [label, { pid, status }])) }
  return sameKeys(actual, facts)
}

function compareDf(text: string, facts: Facts): { actual: Facts; right: Facts } {
  const unit = Number(facts['unit'])
  const rows = parseDf(text)
  const byMount = facts.byMount ?? {}
  const actual = Object.entries(byMount).map(([mount, wanted]) => {
    const row = rows.find((one) => one.mount === mount)
    const all = {
      source: row?.source,
      blocks: (row?.totalBytes ?? 0) / unit,
      used: (row?.usedBytes ?? 0) / unit,
      avail: (row?.freeBytes ?? 0) / unit,
    }
    return [mount, sameKeys(all, wanted).actual]
  })
  const right = Object.entries(byMount).map(([mount, wanted]) => [mount, pick(wanted, ['source', 'blocks', 'used', 'avail'])])
  return {
    actual: { rows: rows.length, ...Object.fromEntries(actual) },
    right: { rows: facts['rows'], ...Object.fromEntries(right) },
  }
}

/** The index names some of the rows. */
function compareNetstat(text: string, facts: Facts): { actual: Facts; right: Facts } {
  const rows = netstatRows(text).map(String)
  const wanted = (facts.listen ?? []).map(String)
  return { actual: { listen: wanted.filter((row) => rows.includes(row)) }, right: { listen: wanted } }
}

function netstatRows(text: string): readonly (readonly [string, string, number])[] {
  return parseNetstat(text).map(({ address, port }) => {
    if (address === '::') return ['tcp6', '*', port]
    return ['tcp4', address === '0.0.0.0' ? '*' : address, port]
  })
}

function compareLsof(text: string, facts: Facts): { actual: Facts; right: Facts } {
  const sshd = facts.sshd ?? { pid: 0, addrs: [], families: [] }
  const own = parseLsof(text).filter(({ pid }) => pid.known && pid.value === sshd.pid)
  const actual = own.map(({ address, port }) => [
    address === '::' || address === '0.0.0.0' ? `*:${port}` : `${address}:${port}`,
    address === '::' ? 'IPv6' : 'IPv4',
  ])
  return { actual: { rows: actual }, right: { rows: sshd.addrs.map((address, index) => [address, sshd.families[index]]) } }
}

/** The probe picks the lines it needs; their form is the kernel's but for the unit. */
function compareMeminfo(text: string, facts: Facts): { actual: Facts; right: Facts } {
  const kib = facts.kB ?? {}
  const fact = registry.memory.parse(known({ status: 0, text: pickedByProbe(text), stderr: '' }), {
    question: question(),
  })
  return {
    actual: fact.known ? { ...fact.value } : { because: fact.because },
    right: { totalBytes: (kib['MemTotal'] ?? 0) * 1024, availableBytes: (kib['MemAvailable'] ?? 0) * 1024 },
  }
}

function pickedByProbe(text: string): string {
  const picked = text.matchAll(/^(MemTotal|MemFree|MemAvailable|Buffers|Cached|Shmem|SReclaimable): +(\d+) kB$/gm)
  return [...picked].map(([, name, kib]) => `${name}: ${kib}\n`).join('')
}

/** As the probe's awk does it: columns 2 and 10 of the rows in state LISTEN. */
function compareProcNet(text: string, facts: Facts): { actual: Facts; right: Facts } {
  const rows = text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((row) => row[3] === facts['listenState'])
  const listeners = parseProcNet(rows.map((row) => `t ${row[1]} ${row[9]}\n`).join(''))
  const actual = listeners.map(({ address, port }) => `${address}:${port}`)
  const right = rows.map((row) => {
    const [address = '', port = ''] = (row[1] ?? '').split(':')
    const parts = [6, 4, 2, 0].map((at) => Number(`0x${address.slice(at, at + 2)}`))
    return `${parts.join('.')}:${Number(`0x${port}`)}`
  })
  return { actual: { listen: actual }, right: { listen: right } }
}

function compareVersion(text: string, facts: Facts): { actual: Facts; right: Facts } {
  const fact = registry.platform.parse(known({ status: 0, text: `system Darwin mac 1 arm64\n${text}`, stderr: '' }), {
    question: question(),
  })
  return {
    actual: { distribution: fact.known ? fact.value.distribution : fact.because },
    right: { distribution: `${String(facts['productName'])} ${String(facts['productVersion'])}` },
  }
}

function compareCommand(text: string, facts: Facts): { actual: Facts; right: Facts } {
  const record = `p 7\nx ${String(facts['program'])}\n|1 op 5 02:03 Wed Nov 12 10:11:12 2025     ${text.trimEnd()}\nend\n`
  const fact = registry.residents.parse(known({ status: 0, text: record, stderr: '' }), { question: question() })
  const one = fact.known ? fact.value[0] : undefined
  return {
    actual: { role: one?.role, ofOllama: one?.program.includes('ollama'), port: one?.port, path: one?.argv[0] },
    right: { role: 'runner', ofOllama: true, port: facts['port'], path: facts['program'] },
  }
}

/** The index has some settings of each source, and null for a source that is not listed. */
function comparePower(text: string, facts: Facts): { actual: Facts; right: Facts } {
  const actual = parsePmset(text)
  const sources = Object.entries(facts).map(([source, right]) => {
    const settings = actual[source] ?? null
    return [source, settings === null || right === null ? settings : pick(settings, Object.keys(Object(right)))]
  })
  return { actual: Object.fromEntries(sources), right: facts }
}
