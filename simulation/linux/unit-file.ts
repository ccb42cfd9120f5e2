import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { NotSimulated } from './not-simulated.ts'
import { timeSpan, unitWords, withoutSpecifiers } from './unit-words.ts'

/** A service unit as systemd read it; what is changed in its files later does not count until the next reload. */
export interface UnitFile {
  readonly name: string
  readonly loadState: 'loaded' | 'not-found' | 'masked' | 'bad-setting'
  /** Inside the box; empty: no file. */
  readonly fragmentPath: string
  readonly dropIns: readonly string[]
  /** Paths and dates of the files it was read from. */
  readonly readFrom: string
  readonly description: string
  readonly user: string
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly environmentFiles: readonly { readonly path: string; readonly optional: boolean }[]
  readonly restart: string
  readonly restartS: number
  readonly preventsRestart: readonly string[]
  readonly stopS: number
  readonly killSignal: NodeJS.Signals
  readonly startLimit: { readonly intervalS: number; readonly burst: number }
  readonly wantedBy: readonly string[]
}

/** Read by systemd and without effect in the simulation. */
const withoutEffect = [
  'After',
  'Before',
  'Documentation',
  'Wants',
  'Requires',
  'UMask',
  'Group',
  'StandardOutput',
  'StandardError',
]
const folders = ['/etc/systemd/system', '/run/systemd/system', '/usr/lib/systemd/system']
const types = ['simple', 'exec']
const signals = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGKILL'] as const

/** @throws NotSimulated for a directive that would change what the service does */
export function readUnitFile(root: string, name: string): UnitFile {
  const { fragmentPath, dropIns, readFrom } = filesOf(root, name)
  const found = { name, fragmentPath, dropIns, readFrom }
  if (fragmentPath === '') return { ...nothing, ...found, loadState: 'not-found', description: name }
  if (isMask(fragmentPath)) return { ...nothing, ...found, loadState: 'masked', description: name }
  const settings = settingsIn([fragmentPath, ...dropIns].map((path) => readFileSync(path, 'utf8')))
  const plain = (directive: string) => withoutSpecifiers(settings.get(directive)?.at(-1) ?? '', { unit: name })
  const words = (directive: string) =>
    (settings.get(directive) ?? []).flatMap(unitWords).map((word) => withoutSpecifiers(word, { unit: name }))
  const command = words('ExecStart')
  const type = plain('Type') || 'simple'
  if (!types.includes(type)) throw new NotSimulated(`Type=${type} of ${name}`)
  const killSignal = signals.find((one) => one === (plain('KillSignal') || 'SIGTERM'))
  if (killSignal === undefined) throw new NotSimulated(`KillSignal=${plain('KillSignal')} of ${name}`)
  return {
    ...found,
    loadState: command.length === 0 ? 'bad-setting' : 'loaded',
    description: plain('Description') || name,
    user: plain('User') || 'root',
    command,
    environment: Object.fromEntries(words('Environment').map(pair)),
    environmentFiles: (settings.get('EnvironmentFile') ?? []).map((value) => {
      const path = withoutSpecifiers(value, { unit: name })
      return { path: path.replace(/^-/, ''), optional: path.startsWith('-') }
    }),
    restart: plain('Restart') || 'no',
    restartS: timeSpan(plain('RestartSec') || '100ms'),
    preventsRestart: words('RestartPreventExitStatus'),
    stopS: timeSpan(plain('TimeoutStopSec') || '90'),
    killSignal,
    startLimit: { intervalS: timeSpan(plain('StartLimitIntervalSec') || '10'), burst: Number(plain('StartLimitBurst') || 5) },
    wantedBy: words('WantedBy'),
  }
}

/** Of the files that it would be read from now. */
export function readFromNow(root: string, name: string): string {
  return filesOf(root, name).readFrom
}

const nothing = {
  user: 'root',
  command: [],
  environment: {},
  environmentFiles: [],
  restart: 'no',
  restartS: 0.1,
  preventsRestart: [],
  stopS: 90,
  killSignal: 'SIGTERM',
  startLimit: { intervalS: 10, burst: 5 },
  wantedBy: [],
} as const

function filesOf(root: string, name: string): Pick<UnitFile, 'fragmentPath' | 'dropIns' | 'readFrom'> {
  const places = folders.map((folder) => join(root, folder, name))
  const fragmentPath = places.find((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined) ?? ''
  const dropIns = places.flatMap((path) => listing(`${path}.d`)).filter((path) => path.endsWith('.conf'))
  const all = fragmentPath === '' ? [] : [fragmentPath, ...dropIns]
  const dates = all.map((path) => `${path} ${statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 'gone'}`)
  return { fragmentPath, dropIns: fragmentPath === '' ? [] : dropIns, readFrom: dates.join('\n') }
}

function listing(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .toSorted()
      .map((file) => join(folder, file))
  } catch {
    return []
  }
}

function isMask(path: string): boolean {
  return lstatSync(path).isSymbolicLink() && readlinkSync(path) === '/dev/null'
}

const known: ReadonlySet<string> = new Set([
  ...withoutEffect,
  'Description',
  'Type',
  'User',
  'ExecStart',
  'Environment',
  'EnvironmentFile',
  'Restart',
  'RestartSec',
  'RestartPreventExitStatus',
  'TimeoutStopSec',
  'KillSignal',
  'StartLimitIntervalSec',
  'StartLimitBurst',
  'WantedBy',
])

/** Every value of every directive, in order; an empty one takes back those before it. */
function settingsIn(contents: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const settings = new Map<string, string[]>()
  for (const content of contents) {
    for (const line of content.replaceAll(/\\\n/g, ' ').split('\n')) {
      const [, directive = '', value = ''] = /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? []
      if (directive === '') continue
      if (!known.has(directive)) throw new NotSimulated(`${directive}= in a unit`)
      settings.set(directive, value === '' ? [] : [...(settings.get(directive) ?? []), value])
    }
  }
  return settings
}

function pair(text: string): [string, string] {
  const at = text.indexOf('=')
  return [text.slice(0, at), text.slice(at + 1)]
}
