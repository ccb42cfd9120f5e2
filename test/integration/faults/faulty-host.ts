import { ConvergeError } from '../../../src/errors/converge-error.ts'
import type { Script } from '../../../src/transports/script.ts'
import type { CommandResult, Transport } from '../../../src/transports/transport.ts'
import { type FaultName, faults } from './faults.ts'
import { Killed } from './person.ts'
import type { Stage } from './stage.ts'

/** A command that a run sends, or was about to send. */
export interface Command {
  readonly label: string
  /** How many were sent before. */
  readonly index: number
}

export interface FaultyHost extends Transport {
  /** Those that were sent, the one that was struck included. */
  readonly sent: readonly Command[]
  /** The one that something went wrong with. */
  readonly struck: () => Command | undefined
}

/** The host as one run reaches it, on which something goes wrong with the first command that `at` says. */
export function faultyHost(
  stage: Stage,
  fault: FaultName,
  at: (command: Command, sent: readonly Command[]) => boolean,
): FaultyHost {
  const sent: Command[] = []
  let struck: Command | undefined
  let line: 'up' | 'cut' | 'killed' = 'up'
  let prefix = ''
  const mustBeUp = (): void => {
    if (line === 'cut') throw lost()
    if (line === 'killed') throw new Killed('converge was killed')
  }
  const end = (how: 'cut' | 'killed'): never => {
    line = how
    mustBeUp()
    throw lost()
  }
  const always = (before: string) => void (prefix = before)
  const send = async (script: Script): Promise<CommandResult> => {
    mustBeUp()
    const command = { label: script.label, index: sent.length }
    const isIt = struck === undefined && at(command, sent)
    sent.push(command)
    const run = (before = ''): Promise<CommandResult> =>
      stage.host.exec({ ...script, text: [`${prefix}${before}`, ...script.text] })
    if (isIt) struck = command
    const result = isIt ? await faults[fault]({ stage, script, run, end, lose, always }) : await run()
    // A killed run does not get the answer.
    mustBeUp()
    return result
  }
  return {
    host: stage.host.host,
    sent,
    struck: () => struck,
    exec: send,
    look: (script) => send(script.unwrap()),
    forward: async (port) => {
      mustBeUp()
      return stage.host.forward(port)
    },
    close: async () => undefined,
  }
}

function lose(): never {
  throw lost()
}

function lost(): ConvergeError {
  const words = { summary: 'The connection broke.', why: 'The connection to host broke.', next: ['ssh host'] }
  return new ConvergeError('CONNECT.LOST', words)
}
