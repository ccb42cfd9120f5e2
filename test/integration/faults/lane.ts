import { readFileSync } from 'node:fs'
import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cell } from './cells.ts'
import { faultyHost } from './faulty-host.ts'
import { filesOn, judgeAfterFault, judgeFiles, judgeRepaired, judgeTurns, servicesOf } from './judge.ts'
import { openPerson, type Person } from './person.ts'
import { isOf } from './phases.ts'
import type { Program } from './program.ts'
import type { Scenario, Services } from './scenarios.ts'
import type { Stage } from './stage.ts'
import { openBoxStage } from './stage-box.ts'
import { openMacStage } from './stage-mac.ts'

/** What came of a cell; nothing wrong, as a rule. */
export interface Played {
  readonly id: string
  readonly wrong: readonly string[]
  /** What the runs of a cell said in which something was wrong. */
  readonly output: string
}

/** A host on which one cell is played after the other: what one leaves in order is where the next begins. */
export interface Lane extends AsyncDisposable {
  play(cell: Cell): Promise<Played>
}

interface Place {
  readonly stage: Stage
  readonly person: Person
  /** What it was brought to; undefined: to nothing yet. */
  settled: Services
}

const deadForS = 300

export function openLane(program: Program, ports: readonly [number, number]): Lane {
  let place: (Place & { readonly key: string }) | undefined
  const close = async (): Promise<void> => {
    const old = place
    place = undefined
    await old?.person[Symbol.asyncDispose]()
    await old?.stage[Symbol.asyncDispose]()
  }
  const placeFor = async ({ supervisor, scenario: { memoryGib, before } }: Cell): Promise<Place> => {
    const key = `${supervisor} ${memoryGib}`
    // Another host is there sooner than what runs on this one is removed.
    const isUsed = Object.keys(before).length === 0 && !isSame(place?.settled ?? {}, {})
    if (place?.key === key && !isUsed) return place
    await close()
    const stage = await (supervisor === 'systemd' ? openBoxStage : openMacStage)(memoryGib, program)
    place = { key, stage, person: await openPerson(stage, ports), settled: {} }
    return place
  }
  return {
    play: async (cell) => {
      const played = await playOn(await placeFor(cell), cell, ports)
      // Nothing is known of a host on which something is wrong.
      if (played.wrong.length > 0) await close()
      return played
    },
    [Symbol.asyncDispose]: close,
  }
}

async function playOn(place: Place, cell: Cell, ports: readonly [number, number]): Promise<Played> {
  const { stage, person } = place
  const { id, at, fault } = cell
  const scenario = fromWhere(place, cell.scenario)
  const { before, wanted } = scenario
  const output: string[] = []
  await stage.setClock(0)
  if (!isSame(place.settled, before)) {
    await person.write(withAbsent(before, place.settled))
    const begun = await person.apply(stage.host)
    if (begun.code !== 0) return { id, wrong: ['it could not be prepared'], output: begun.output }
  }
  const [filesBefore, turnsBefore] = [filesOn(stage), stage.turns().length]
  await person.write(wanted)
  const host = faultyHost(stage, fault, (command, sent) =>
    typeof at === 'number' ? command.index === at : isOf(at, command, sent),
  )
  const ran = await person.apply(host)
  await stage.quiet()
  const struck = host.struck()
  output.push(`struck: ${struck?.label ?? 'nothing'}; exit ${String(ran.code)}\n${ran.output}`)
  const wrong = struck === undefined ? ['it was never struck'] : [...judgeAfterFault(stage, scenario, cell)]
  const filesMeanwhile = filesOn(stage)
  await letLockDie(stage)
  const after = scenario.amended ?? wanted
  const resumes = scenario.amended === undefined && id.length % 2 === 0
  if (scenario.amended !== undefined) await person.write(after)
  const next = resumes ? await person.resume(stage.host) : await person.apply(stage.host)
  await stage.quiet()
  output.push(`then ${resumes ? 'resume' : 'apply'}: exit ${String(next.code)}\n${next.output}`)
  wrong.push(
    // A refused service is gone: only its record can be judged.
    ...(scenario.amended === undefined ? judgeFiles(filesBefore, filesMeanwhile, filesOn(stage)) : []),
    ...judgeTurns(stage.turns().slice(turnsBefore), servicesOf(before), scenario),
    ...(await judgeRepaired(stage, next, after, ports)),
  )
  place.settled = Object.fromEntries(Object.entries(after).filter(([, { absent }]) => absent !== true))
  return { id, wrong, output: output.join('\n') }
}

/**
 * A scenario is played the other way round, or from where an amendment led, where the host is already as it would be afterwards. What is removed
 * may be as any of them left it.
 */
function fromWhere({ settled }: Place, scenario: Scenario): Scenario {
  const { before, wanted, amended } = scenario
  if (amended !== undefined) return isSame(settled, amended) ? { ...scenario, before: amended, amended: before } : scenario
  if (scenario.name === 'remove' && settled['coder'] !== undefined) return { ...scenario, before: settled }
  const reversible =
    Object.keys(before).length === Object.keys(wanted).length && !Object.values(wanted).some(({ absent }) => absent)
  return reversible && isSame(settled, wanted) ? { ...scenario, before: wanted, wanted: before } : scenario
}

function isSame(a: Services, b: Services): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Names existing services that should be absent: converge ignores what an inventory does not contain. */
function withAbsent(wanted: Services, settled: Services): Services {
  const gone = Object.entries(settled).filter(([service]) => wanted[service] === undefined)
  return { ...wanted, ...Object.fromEntries(gone.map(([service, desired]) => [service, { ...desired, absent: true }])) }
}

/** Lets the minutes pass after which a lock without a heartbeat is dead. */
async function letLockDie({ root, host }: Stage): Promise<void> {
  const lock = join(root, 'lock')
  const text = { label: 'read the clock', text: ['date +%s\n'], args: [], elevate: true, timeoutMs: 60_000 }
  const { stdout } = await host.exec(text)
  const then = Number(stdout) - deadForS
  try {
    if (readFileSync(join(lock, 'beat'), 'utf8') !== '') await writeFile(join(lock, 'beat'), `${then}\n`)
  } catch {
    // It has none, or there is no lock: its date has to do.
  }
  const old = new Date(Date.now() - deadForS * 1000)
  for (const path of [join(lock, 'heir'), lock]) await utimes(path, old, old).catch(() => undefined)
}
