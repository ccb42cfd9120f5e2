import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../../src/lib/digest.ts'
import { parseObject } from '../../../src/lib/json-object.ts'
import type { Cell } from './cells.ts'
import { survivable } from './faults.ts'
import type { Ran } from './person.ts'
import type { DesiredService, Scenario, Services } from './scenarios.ts'
import type { Stage, Turn } from './stage.ts'

/** What a host holds, by path: definitions, keys, records. */
export type Files = Readonly<Record<string, string>>

/** Everything that converge or a supervisor reads there. What is only on its way to be one begins with a dot or ends otherwise. */
export function filesOn({ root, definitions }: Stage): Files {
  const folders = [definitions, join(root, 'keys'), join(root, 'applied')]
  const paths = folders.flatMap((folder) => namesIn(folder).map((name) => join(folder, name)))
  return Object.fromEntries(paths.filter(isRead).map((path) => [path, readFileSync(path, 'utf8')]))
}

function isRead(path: string): boolean {
  return /\/[^./][^/]*\.(?:service|plist|key|json)$/.test(path)
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }).flatMap((one) => (one.isFile() ? [one.name] : [])) : []
}

/** What is wrong when the run is over in which something went wrong. */
export function judgeAfterFault(
  stage: Stage,
  { before, wanted }: Scenario,
  { fault, at }: Pick<Cell, 'fault' | 'at'>,
): readonly string[] {
  // Of what goes wrong with the rollback itself it is said that it is not back.
  if (!survivable.includes(fault) || at === 'undo') return []
  return servicesOf(before)
    .filter((service) => wanted[service]?.absent !== true && stage.words(service).length === 0)
    .map((service) => `${service} was up before and is down after a run that could do something about it`)
}

/** Whether each file was, at some moment, nothing but what it had been before or was to be: what there is of records is JSON. */
export function judgeFiles(before: Files, meanwhile: Files, after: Files): readonly string[] {
  return Object.entries(meanwhile)
    .filter(([path, text]) =>
      path.endsWith('.json') ? parseObject(text) === undefined : text !== before[path] && text !== after[path],
    )
    .map(([path]) => `${path} was neither as before nor as it was to be`)
}

/** No server began beside another one that has no room for it, or beside itself. */
export function judgeTurns(turns: readonly Turn[], running: readonly string[], { memoryGib }: Scenario): readonly string[] {
  const up = [...running]
  const wrong: string[] = []
  for (const { service, event } of turns) {
    if (event === 'ended') up.splice(up.indexOf(service), up.includes(service) ? 1 : 0)
    else {
      if (up.includes(service)) wrong.push(`${service} ran twice at once`)
      up.push(service)
      if (memoryGib <= 32 && up.length > 1) wrong.push(`${up.join(' and ')} ran at once`)
    }
  }
  return wrong
}

/** What is wrong when the next run is over: nothing may be. */
export async function judgeRepaired(
  stage: Stage,
  ran: Ran,
  wanted: Services,
  ports: readonly [number, number],
): Promise<readonly string[]> {
  const wrong: string[] = []
  if (ran.code !== 0) wrong.push(`the next run ended with ${String(ran.code)}`)
  const { second_plan: second } = ran.report ?? {}
  if (second !== undefined && second.changes > 0) wrong.push(`the next run left ${second.actions.join(', ')}`)
  for (const [service, desired] of Object.entries(wanted)) wrong.push(...(await judgeService(stage, service, desired, ports)))
  return [...wrong, ...judgeLeft(stage, servicesOf(wanted))]
}

export function servicesOf(wanted: Services): readonly string[] {
  return Object.entries(wanted).flatMap(([service, { absent }]) => (absent === true ? [] : [service]))
}

async function judgeService(
  stage: Stage,
  service: string,
  { port, ctxSize, absent }: DesiredService,
  ports: readonly [number, number],
): Promise<readonly string[]> {
  const words = stage.words(service).join(' ')
  if (absent === true) return words === '' ? [] : [`${service} still runs`]
  if (!words.includes(` --port ${ports[port]} `) || !words.includes(` --ctx-size ${ctxSize}`))
    return [`${service} runs as: ${words}`]
  const heard = await heardAt(ports[port])
  return [...(heard === service ? [] : [`${service} does not answer, but ${heard}`]), ...judgeRecord(stage, service, ctxSize)]
}

async function heardAt(port: number): Promise<string> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/models`, { signal: AbortSignal.timeout(20_000) })
    return /"id":"(\w+)"/.exec(await answer.text())?.[1] ?? 'unknown'
  } catch {
    return 'no server'
  }
}

/** The host remembers what was applied, and no earlier state. */
function judgeRecord(stage: Stage, service: string, ctxSize: number): readonly string[] {
  const path = join(stage.root, 'applied', `${service}.json`)
  if (!existsSync(path)) return [`there is no record of ${service}`]
  const record = parseObject(readFileSync(path, 'utf8'))
  const definition = readFileSync(join(stage.definitions, stage.definition(service)), 'utf8')
  if (record?.['definitionDigest'] !== sha256(definition)) return [`the record of ${service} has another definition`]
  return JSON.stringify(record['wanted']).includes(String(ctxSize)) ? [] : [`the record of ${service} has another desired state`]
}

function judgeLeft({ root, definitions, definition }: Stage, services: readonly string[]): readonly string[] {
  const expected: readonly (readonly [folder: string, names: readonly string[]])[] = [
    [definitions, services.map(definition)],
    [join(root, 'keys'), services.map((service) => `${service}.key`)],
    [join(root, 'applied'), services.map((service) => `${service}.json`)],
    [root, ['audit.log']],
  ]
  return [
    ...expected.flatMap(([folder, names]) =>
      namesIn(folder)
        .filter((name) => !names.includes(name))
        .map((name) => `${join(folder, name)} is left`),
    ),
    ...(existsSync(join(root, 'lock')) ? ['the lock is left'] : []),
  ]
}
