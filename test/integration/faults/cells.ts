import { type FaultName, faultNames } from './faults.ts'
import { comesBy, type Phase, phaseNames } from './phases.ts'
import { type Scenario, type Supervisor, scenarios, supervisors } from './scenarios.ts'

/** One fault at one command of one run. */
export interface Cell {
  /** `update.launchd.write.cut-before`, with a number in the third place where every command has its turn. */
  readonly id: string
  readonly scenario: Scenario
  readonly supervisor: Supervisor
  readonly at: Phase | number
  readonly fault: FaultName
}

/** Every fault at every phase once, in one of the scenarios that come by it. */
export function cellsOfPhases(): readonly Cell[] {
  return phaseNames.flatMap((phase, column) =>
    faultNames.map((fault, row) => {
      const those = supervisors.flatMap((supervisor) =>
        scenarios.filter((scenario) => comesBy(phase, scenario, supervisor)).map((scenario) => ({ scenario, supervisor })),
      )
      const one = those[(row * 3 + column) % those.length]
      if (one === undefined) throw new Error(`no cell has the phase ${phase}`)
      return cellOf({ ...one, at: phase, fault })
    }),
  )
}

/** One of so many; as many as there are phases. */
const share = phaseNames.length

/**
 * A part of them, in which every fault, every phase, and every scenario under either supervisor comes up. Of the parts that have each fault once, this one
 * has the fewest installs: each of them takes a host of its own.
 */
export function partOf(cells: readonly Cell[]): readonly Cell[] {
  const part = cells.filter((_, index) => (index + 7 * Math.floor(index / faultNames.length)) % share === 1)
  const played = new Set(part.map(playOf))
  const more = cells.filter((cell) => played.size < played.add(playOf(cell)).size)
  return [...part, ...more]
}

function playOf({ scenario, supervisor }: Cell): string {
  return `${scenario.name} ${supervisor}`
}

export function cellOf(cell: Omit<Cell, 'id'>): Cell {
  return { ...cell, id: [cell.scenario.name, cell.supervisor, cell.at, cell.fault].join('.') }
}

/** @throws where there is no such cell */
export function cellNamed(id: string): Cell {
  const [name, by, at = '', what] = id.split('.')
  const scenario = scenarios.find((one) => one.name === name)
  const supervisor = supervisors.find((one) => one === by)
  const fault = faultNames.find((one) => one === what)
  const phase = /^\d+$/.test(at) ? Number(at) : phaseNames.find((one) => one === at)
  if (scenario === undefined || supervisor === undefined || fault === undefined || phase === undefined)
    throw new Error(`FAULTS=${id}: there is no such cell; one is ${cellsOfPhases()[0]?.id ?? ''}`)
  return cellOf({ scenario, supervisor, at: phase, fault })
}
