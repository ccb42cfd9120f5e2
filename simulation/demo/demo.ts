import { once } from 'node:events'
import { dirname } from 'node:path'
import type { Form } from '../../src/model/version-document.ts'
import type { Paint } from '../../src/report/paint.ts'
import { askForChange } from './by-hand.ts'
import { changes, isChange } from './changes.ts'
import { type DemoFleet, startDemoFleet } from './fleet.ts'
import { elsewhere, nextSteps } from './next-steps.ts'
import { NoDemo } from './no-demo.ts'
import { createStage, type StageOptions, UnexpectedEnd } from './stage.ts'
import { playTour } from './tour.ts'

export interface DemoOptions extends Omit<StageOptions, 'env' | 'commandLine'> {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Keeps the fleet up until a person presses Enter or interrupts. */
  readonly keep: boolean
  readonly stdin: NodeJS.ReadStream
  /** How this converge was installed. */
  readonly form: Form
}

/** How it ended: completely, interrupted by a person, or with another outcome than shown, and what it was; or it could not begin. */
export type DemoEnd = 'done' | 'interrupted' | { readonly otherwise: string } | { readonly impossible: string }

/** Starts the fleet, plays the tour, and takes the fleet down in any case. */
export async function runDemo(options: DemoOptions): Promise<DemoEnd> {
  const { out, paint, signal, keep } = options
  out(`${paint(['bold'], 'Three hosts, on this machine')}\n${intro}\n`)
  const started = await startDemoFleet().catch((error: unknown) => {
    if (error instanceof NoDemo) return error
    throw error
  })
  if (started instanceof NoDemo) return { impossible: started.message }
  await using fleet = started
  const env = { ...options.env, CONVERGE_INVENTORY: fleet.inventory, CONVERGE_STATE_DIR: fleet.state }
  const stage = createStage({ ...options, env, commandLine: fleet.commandLine })
  try {
    await playTour(fleet, stage)
  } catch (error) {
    if (signal.aborted) return 'interrupted'
    if (error instanceof UnexpectedEnd) return { otherwise: error.message }
    throw error
  }
  stage.heading(keep ? 'The fleet stays up' : 'Next steps')
  out(keep ? tryThings(fleet, options) : paint.whole(nextSteps(options.form)))
  if (keep) await untilEnough(options)
  return signal.aborted && !keep ? 'interrupted' : 'done'
}

const intro =
  'The demo simulates two Macs and a Linux box. Each has an SSH server on the loopback address, a shell, a supervisor that really starts and ' +
  'stops processes, and model servers without a model. converge treats them as real hosts. All files are in one temporary folder, which the ' +
  'demo deletes at the end. Paths of the box, such as /opt, are inside its simulation. The demo reads and changes nothing else.\n'

/** `--change NAME`: how it ended; `no-fleet`: none is up that has its inventory there. */
export async function changeByHand({
  name,
  env,
  out,
  paint,
}: Pick<DemoOptions, 'env' | 'out' | 'paint'> & { readonly name: string }): Promise<ChangeEnd> {
  if (!isChange(name)) return { names: Object.keys(changes) }
  const { host, command, effect } = changes[name]
  const answer = await askForChange(dirname(env['CONVERGE_INVENTORY'] ?? '/'), name)
  if (answer === undefined) return 'no-fleet'
  out(paint.whole(`${paint(['bold'], `${host}$ ${command}`)}\n${answer.out ?? ''}${answer.err ?? ''}`))
  if (answer.code === 1 && answer.err === '') {
    out('\nNothing was changed: the change was made before, or an apply has overwritten it.\n')
    return 'done'
  }
  if (answer.code !== 0) return { otherwise: `That ended with ${answer.code}` }
  out(`\nNow ${effect}.\nconverge plan --limit ${host}\n`)
  return 'done'
}

export type ChangeEnd = 'done' | 'no-fleet' | { readonly otherwise: string } | { readonly names: readonly string[] }

function tryThings({ inventory, state, sshConfig, hasShells }: DemoFleet, { converge, stdin, paint, form }: DemoOptions): string {
  const hasTerminal = stdin.isTTY
  return `${elsewhere(form)}:

  ${paint.whole(`alias converge='${converge.map(shellWord).join(' ')}'`)}
  ${paint.whole(`export CONVERGE_INVENTORY=${inventory} CONVERGE_STATE_DIR=${state}`)}
  converge status
  converge plan             # after a change in $CONVERGE_INVENTORY/host_vars
  converge demo --change NAME

Changes to make by hand, which converge then detects:

${Object.entries(changes)
  .map(([name, { host, effect }]) => `  ${name.padEnd(14)}${paint.hang}on ${host}: ${effect}`)
  .join('\n')}

${hasShells ? shells(sshConfig, paint) : ''}${hasTerminal ? 'Press Enter here, or Ctrl-C,' : 'Interrupt this command'} to remove the fleet.
`
}

/** Only where a shell sees its host and nothing else. */
function shells(sshConfig: string, paint: Paint): string {
  return `Or in a shell on a host, which sees only that host:

  ${paint.whole(`ssh -F ${sshConfig} mini launchctl print gui/501/com.example.coder`)}
  ${paint.whole(`ssh -F ${sshConfig} box journalctl -u flagship`)}
  ${paint.whole(`ssh -F ${sshConfig} box`)}

`
}

async function untilEnough({ stdin, signal }: DemoOptions): Promise<void> {
  if (signal.aborted) return
  const interrupted = once(signal, 'abort')
  // Without a terminal it runs until a signal ends it.
  await (stdin.isTTY ? Promise.race([once(stdin.resume(), 'data'), interrupted]) : interrupted)
  stdin.pause()
}

/** In double quotes where needed: the alias is in single ones. */
function shellWord(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `"${word.replaceAll(/["$`\\]/g, String.raw`\$&`)}"`
}
