import { describe, it } from 'vitest'
import { isLong } from '../support/series.ts'
import { type Cell, cellNamed, cellsOfPhases, partOf } from './faults/cells.ts'
import { faultNames } from './faults/faults.ts'
import { openLane, type Played } from './faults/lane.ts'
import { phaseNames } from './faults/phases.ts'
import { buildProgram } from './faults/program.ts'

/**
 * Each fault at each kind of step of an install, an update, a rollback, a swap of ports and a removal, under systemd and launchd. By default a part
 * of it with every fault and every kind of step, in a long series all; `FAULTS=update.launchd.write.cut-before` (or
 * several of these, with commas) plays one cell. Each failed cell prints its id, and with `FAULTS_VERBOSE=1` each cell prints what its
 * runs did.
 */
const asked = process.env['FAULTS'] ?? ''
const verbose = process.env['FAULTS_VERBOSE'] !== undefined

function askedFor(): readonly Cell[] {
  if (asked !== '') return asked.split(',').map(cellNamed)
  return isLong ? cellsOfPhases() : partOf(cellsOfPhases())
}

/** Hosts side by side: what runs do most is wait. */
const lanes = 8
const firstPort = 14_100

describe('the fault matrix', { timeout: 3_600_000 }, () => {
  it('leaves nothing wrong behind any fault', async ({ expect }) => {
    await using program = await buildProgram()
    const played: Played[] = []
    const queues = dealt(askedFor(), lanes)
    await Promise.all(
      queues.map(async (queue, index) => {
        await using lane = openLane(program, [firstPort + 2 * index, firstPort + 2 * index + 1])
        for (const cell of queue) {
          const one = await lane.play(cell)
          played.push(one)
          print(one)
        }
      }),
    )
    const wrong = played.filter((one) => one.wrong.length > 0)
    process.stdout.write(
      `fault matrix: ${played.length} cells, ${wrong.length} wrong (${faultNames.length} faults x ${phaseNames.length} phases)\n`,
    )
    expect(wrong).toEqual([])
    expect(played.length).toBeGreaterThan(0)
  })
})

function print({ id, wrong, output }: Played): void {
  if (verbose || wrong.length > 0) process.stdout.write(`${id}: ${wrong.join('; ') || 'well'}\n`)
  if (verbose) process.stdout.write(`${output}\n`)
}

/** Cells of one kind of host stay together, in an order in which one mostly begins with what the one before it left: few have to be prepared. */
function dealt(all: readonly Cell[], into: number): readonly (readonly Cell[])[] {
  const size = Math.ceil(all.length / into)
  const kinds = Map.groupBy(all, ({ supervisor, scenario: { memoryGib } }) => `${supervisor} ${memoryGib}`)
  return [...kinds.values()]
    .map(inRounds)
    .flatMap((cells) =>
      Array.from({ length: Math.ceil(cells.length / size) }, (_, index) => cells.slice(index * size, (index + 1) * size)),
    )
}

/** An install, its share of what changes the server, a removal, and again. */
function inRounds(cells: readonly Cell[]): readonly Cell[] {
  const {
    install = [],
    remove = [],
    change = [],
  } = Object.groupBy(cells, ({ scenario: { name } }) => (name === 'install' || name === 'remove' ? name : 'change'))
  const rounds = Math.max(install.length, remove.length, 1)
  const share = Math.ceil(change.length / rounds)
  return Array.from({ length: rounds }, (_, index) => [
    ...install.slice(index, index + 1),
    ...change.slice(index * share, (index + 1) * share),
    ...remove.slice(index, index + 1),
  ]).flat()
}
