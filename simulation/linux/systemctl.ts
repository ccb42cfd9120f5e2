import { readFileSync } from 'node:fs'
import type { Answer } from '../tool-socket.ts'
import { NotSimulated } from './not-simulated.ts'
import type { JobResult } from './service.ts'
import type { Systemd } from './systemd.ts'
import { propertiesOf } from './unit-properties.ts'

/** Output and exit statuses of systemd 252; the offline verbs were compared with the real ones. */
export const systemdVersion = '252 (252.38-1~deb12u1)'

interface Call {
  readonly systemd: Systemd
  readonly root: boolean
  readonly units: readonly string[]
  readonly now: boolean
  readonly quiet: boolean
  readonly value: boolean
  /** Empty: all. */
  readonly properties: readonly string[]
}

/** What `systemctl WORDS…` prints and ends with. */
export async function systemctl(systemd: Systemd, words: readonly string[], caller: string): Promise<Answer> {
  if (words.includes('--version')) return { code: 0, out: `systemd ${systemdVersion}\n+PAM +AUDIT +SELINUX +APPARMOR +IMA\n` }
  const { verb, ...given } = readWords(words)
  const run = verbs[verb]
  if (run === undefined) throw new NotSimulated(`systemctl ${verb}`)
  if (given.units.some((unit) => !unit.endsWith('.service')))
    throw new NotSimulated(`units other than services: ${given.units.join(' ')}`)
  return run({ systemd, root: caller === 'root', ...given })
}

function readWords(words: readonly string[]): Omit<Call, 'systemd' | 'root'> & { readonly verb: string } {
  const plain: string[] = []
  const properties: string[] = []
  const flags = new Set<string>()
  for (let at = 0, options = true; at < words.length; at++) {
    const word = words[at] ?? ''
    if (options && word === '--') options = false
    else if (options && word === '-p') properties.push(...(words[++at] ?? '').split(','))
    else if (options && word.startsWith('--property=')) properties.push(...word.slice('--property='.length).split(','))
    else if (options && word.startsWith('-')) flags.add(word)
    else plain.push(word)
  }
  const unknown = [...flags].find((flag) => !['--now', '--quiet', '-q', '--value', '--no-pager', '--system'].includes(flag))
  if (unknown !== undefined) throw new NotSimulated(`systemctl ${unknown}`)
  const [verb = '', ...units] = plain
  return {
    verb,
    units: units.map((unit) => (unit.includes('.') ? unit : `${unit}.service`)),
    now: flags.has('--now'),
    quiet: flags.has('--quiet') || flags.has('-q'),
    value: flags.has('--value'),
    properties,
  }
}

const verbs: Readonly<Record<string, (call: Call) => Promise<Answer> | Answer>> = {
  show,
  start: (call) => jobs(call, 'start'),
  stop: (call) => jobs(call, 'stop'),
  restart: (call) => jobs(call, 'restart'),
  enable,
  disable,
  'daemon-reload': ({ systemd, root }) => {
    if (!root) return denied('reload daemon')
    systemd.reload()
    return { code: 0 }
  },
  'reset-failed': resetFailed,
  'is-active': (call) => states(call, (unit) => call.systemd.service(unit).activeState, ['active', 'reloading'], 3),
  'is-failed': (call) => states(call, (unit) => call.systemd.service(unit).activeState, ['failed'], 1),
  'is-enabled': isEnabled,
  cat,
  'list-units': listUnits,
}

function show({ systemd, units, properties, value }: Call): Answer {
  const blocks = units.map((unit) => {
    const all = propertiesOf(systemd, unit)
    const unknown = properties.find((name) => all[name] === undefined)
    if (unknown !== undefined) throw new NotSimulated(`the property ${unknown}`)
    const asked = Object.entries(all).filter(([name]) => properties.length === 0 || properties.includes(name))
    return asked.map(([name, text]) => (value ? `${text}\n` : `${name}=${text}\n`)).join('')
  })
  return { code: 0, out: blocks.join('\n') }
}

async function jobs({ systemd, root, units }: Call, verb: 'start' | 'stop' | 'restart'): Promise<Answer> {
  if (!root) return denied(`${verb} ${units[0] ?? ''}`)
  const answers = await Promise.all(units.map((unit) => job(systemd, unit, verb)))
  return { code: answers.find(({ code }) => code !== 0)?.code ?? 0, err: answers.map(({ err = '' }) => err).join('') }
}

async function job(systemd: Systemd, unit: string, verb: 'start' | 'stop' | 'restart'): Promise<Answer> {
  const service = systemd.service(unit)
  const { loadState } = service.unit
  if (verb === 'stop') {
    if (loadState === 'not-found' && service.state === 'dead')
      return { code: 5, err: `Failed to stop ${unit}: Unit ${unit} not loaded.\n` }
    await service.stop()
    return { code: 0 }
  }
  if (loadState === 'not-found') return { code: 5, err: `Failed to ${verb} ${unit}: Unit ${unit} not found.\n` }
  if (loadState === 'masked') return { code: 1, err: `Failed to ${verb} ${unit}: Unit ${unit} is masked.\n` }
  if (loadState === 'bad-setting')
    return {
      code: 1,
      err: `Failed to ${verb} ${unit}: Unit ${unit} has a bad unit file setting.\nSee system logs and 'systemctl status ${unit}' for details.\n`,
    }
  const warning = systemd.needsReload(service)
    ? `Warning: The unit file, source configuration file or drop-ins of ${unit} changed on disk. Run 'systemctl daemon-reload' to reload units.\n`
    : ''
  const result = await service[verb]()
  return result === 'done' ? { code: 0, err: warning } : { code: 1, err: `${warning}${jobFailed(unit, result)}` }
}

const reasons: Readonly<Record<Exclude<JobResult, 'done' | 'canceled'>, string>> = {
  'exit-code': 'the control process exited with error code',
  resources: 'of unavailable resources or another system error',
  'start-limit-hit': 'start of the service was attempted too often',
}

function jobFailed(unit: string, result: Exclude<JobResult, 'done'>): string {
  if (result === 'canceled') return `Job for ${unit} canceled.\n`
  const because = `Job for ${unit} failed because ${reasons[result]}.\n`
  return `${because}See "systemctl status ${unit}" and "journalctl -xeu ${unit}" for details.\n`
}

async function enable(call: Call): Promise<Answer> {
  const { systemd, root, units, now } = call
  if (!root) return denied('enable unit')
  const missing = units.find((unit) => systemd.unitFileState(unit) === '')
  if (missing !== undefined) return { code: 1, err: `Failed to enable unit: Unit file ${missing} does not exist.\n` }
  const masked = units.find((unit) => systemd.unitFileState(unit) === 'masked')
  if (masked !== undefined) return { code: 1, err: `Failed to enable unit: Unit file ${masked} is masked.\n` }
  const links = units.flatMap((unit) => systemd.enable(unit))
  systemd.reload()
  const err = links.map(([link, target]) => `Created symlink ${link} → ${target}.\n`).join('')
  if (!now) return { code: 0, err }
  const started = await jobs(call, 'start')
  return { ...started, err: `${err}${started.err ?? ''}` }
}

async function disable(call: Call): Promise<Answer> {
  const { systemd, root, units, now } = call
  if (!root) return denied('disable unit')
  const missing = units.find((unit) => systemd.unitFileState(unit) === '' && !systemd.holds(unit))
  if (missing !== undefined) return { code: 1, err: `Failed to disable unit: Unit file ${missing} does not exist.\n` }
  const links = units.flatMap((unit) => systemd.disable(unit))
  systemd.reload()
  const err = links.map((link) => `Removed "${link}".\n`).join('')
  if (!now) return { code: 0, err }
  const stopped = await jobs(call, 'stop')
  return { ...stopped, err: `${err}${stopped.err ?? ''}` }
}

function resetFailed({ systemd, root, units }: Call): Answer {
  if (!root) return denied('reset failed state')
  const lost = units.filter((unit) => !systemd.holds(unit))
  for (const unit of units) if (systemd.holds(unit)) systemd.service(unit).resetFailed()
  const err = lost.map((unit) => `Failed to reset failed state of unit ${unit}: Unit ${unit} not loaded.\n`).join('')
  return { code: lost.length > 0 ? 1 : 0, err }
}

/** 0 if one of them is in that state. */
function states({ units, quiet }: Call, stateOf: (unit: string) => string, good: readonly string[], otherwise: number): Answer {
  const all = units.map(stateOf)
  return {
    code: all.some((state) => good.includes(state)) ? 0 : otherwise,
    out: quiet ? '' : all.map((state) => `${state}\n`).join(''),
  }
}

function isEnabled(call: Call): Answer {
  const missing = call.units.find((unit) => call.systemd.unitFileState(unit) === '')
  if (missing !== undefined) return { code: 1, err: `Failed to get unit file state for ${missing}: No such file or directory\n` }
  return states(call, (unit) => call.systemd.unitFileState(unit), ['enabled', 'static'], 1)
}

function cat({ systemd, units }: Call): Answer {
  const texts = units.map((unit) => {
    const { fragmentPath, dropIns } = systemd.service(unit).unit
    return fragmentPath === ''
      ? undefined
      : [fragmentPath, ...dropIns].map((path) => `# ${path}\n${readFileSync(path, 'utf8')}`).join('\n')
  })
  const missing = units.find((_, index) => texts[index] === undefined)
  return missing === undefined ? { code: 0, out: texts.join('\n') } : { code: 1, err: `No files found for ${missing}.\n` }
}

function listUnits({ systemd }: Call): Answer {
  const rows = systemd.services.map(
    ({ unit, activeState }) => `  ${unit.name} ${unit.loadState} ${activeState} ${unit.description}\n`,
  )
  return { code: 0, out: `  UNIT LOAD ACTIVE DESCRIPTION\n${rows.join('')}` }
}

function denied(what: string): Answer {
  return { code: 1, err: `Failed to ${what}: Interactive authentication required.\n` }
}
