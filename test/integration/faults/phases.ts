import type { Command } from './faulty-host.ts'
import type { Scenario, Supervisor } from './scenarios.ts'

/** What a command of a run is for, and how it is known; the first that fits counts. */
export const phases = {
  lock: /^take the lock$/,
  unlock: /^release the lock$/,
  look: /^gather facts$/,
  check: /^check the preconditions of the plan$/,
  keep: /^(?:back up .*|validate the new .*)$/,
  arm: /^arm the rollback timer of /,
  confirm: /^disarm the rollback timer$/,
  write: /^write /,
  stop: /^(?:stop|unload) /,
  start: /^(?:re)?start |^load .* and start it$/,
  after: /^check that it took effect$/,
  prove: /^ask the supervisor$/,
  record: /^(?:record|forget) what was applied/,
  tidy: /^delete /,
  undo: /^(?:restore the previous .*|.* as before|see that )/,
  prepare: /^(?:reload the units|keep .* from starting|create the log folder|restore the modification time)/,
} as const satisfies Readonly<Record<string, RegExp>>

export type Phase = keyof typeof phases

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of this very object
export const phaseNames = Object.keys(phases) as readonly Phase[]

/** Whether a run of the scenario comes by such a command at all. */
export function comesBy(phase: Phase, { name }: Scenario, supervisor: Supervisor): boolean {
  if (phase === 'undo') return name === 'rollback'
  if (phase === 'arm' || phase === 'confirm') return name === 'update' || name === 'rollback'
  if (name === 'rollback') return !['stop', 'record', 'tidy'].includes(phase)
  if (phase === 'keep') return name === 'update' || name === 'swap'
  if (phase === 'stop') return name === 'swap' || name === 'remove'
  if (['write', 'start', 'prove'].includes(phase)) return name !== 'remove'
  return phase !== 'prepare' || name !== 'remove' || supervisor === 'systemd'
}

/** A look before the lock is had is nothing that could leave anything. */
export function isOf(phase: Phase, { label }: Command, sent: readonly Command[]): boolean {
  const found = phaseNames.find((name) => phases[name].test(label))
  return found === phase && (phase !== 'look' || sent.some((one) => phases.lock.test(one.label)))
}
