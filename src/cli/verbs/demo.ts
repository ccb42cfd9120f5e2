import { versionDocument } from '../../context/build.ts'
import type { Context } from '../../context/context.ts'
import { type ExitCode, exitCodes } from '../../context/exit-code.ts'
import { ownCommand } from '../../context/own-command.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { converge } from '../../lib/next-command.ts'
import { runTool } from '../../transports/child-process.ts'
import { noSshClient } from '../../transports/errors/no-ssh-client.ts'
import { groups } from '../option-groups.ts'
import type { Verb } from '../verb.ts'

/** `converge demo`: the real commands, over SSH, on hosts that are simulated in this process. */
export const verb: Verb = {
  configure(command, finish) {
    command
      .option('--keep', 'keep the fleet running after the tour')
      .option('--change <name>', 'simulate a manual change on a fleet that was kept running')
      .optionsGroup(groups.output)
      .option('--no-color', 'disable colours (as does NO_COLOR)')
      .action(({ keep = false, change }) =>
        finish(async ({ out, env, signal, stdin }) => {
          if (change !== undefined) return playChange(change, { out, env })
          await checkTools({ env, signal })
          const { runDemo } = await import('../../../simulation/demo/demo.ts')
          const end = await runDemo({
            out: (text) => out.writeProse(text),
            paint: out.paint,
            env,
            signal,
            stdin,
            keep,
            form: versionDocument(process).form,
            converge: ownCommand(process.execArgv),
          })
          if (end === 'done') return exitCodes.done
          if (end === 'interrupted') return exitCodes.interrupted
          throw 'otherwise' in end ? otherwise(end.otherwise) : impossible(end.impossible)
        }),
      )
  },
}

async function playChange(name: string, { out, env }: Pick<Context, 'out' | 'env'>): Promise<ExitCode> {
  const { changeByHand } = await import('../../../simulation/demo/demo.ts')
  const end = await changeByHand({ name, env, out: (text) => out.writeProse(text), paint: out.paint })
  if (end === 'done') return exitCodes.done
  if (end === 'no-fleet') throw noFleet()
  throw 'names' in end ? noSuchChange(name, end.names) : otherwise(end.otherwise)
}

function noFleet(): ConvergeError {
  return new ConvergeError('DEMO.NO_FLEET', {
    summary: 'no simulated fleet is running here',
    why: 'CONVERGE_INVENTORY does not name the inventory of one. Nothing was changed.',
    next: [converge(['demo', '--keep']), 'In another shell, first the two lines that it prints in the end: alias and export.'],
  })
}

function noSuchChange(name: string, names: readonly string[]): ConvergeError {
  return new ConvergeError('USAGE.COMMAND', {
    summary: `There is no change called ${name}.`,
    why: 'Nothing was done.',
    next: names.map((one) => converge(['demo', '--change', one])),
  })
}

/** What its hosts are reached and made with, tried before anything is started. */
async function checkTools(options: Parameters<typeof runTool>[2]): Promise<void> {
  for (const [tool, ...args] of [
    ['ssh', '-V'],
    ['ssh-keygen', '-?'],
  ] as const) {
    if ((await runTool(tool, args, options)).missing)
      throw noSshClient(`The tour reaches its hosts over SSH, and there is no ${tool} program on the PATH of this machine.`)
  }
  if ((await runTool('/usr/bin/perl', ['-e', '1'], options)).exitCode !== 0)
    throw impossible('its tools are written in Perl, and /usr/bin/perl does not run')
}

function impossible(because: string): ConvergeError {
  return new ConvergeError('DEMO.IMPOSSIBLE', {
    summary: 'the demo fleet cannot be started here',
    why: `Nothing was done: ${because}.`,
    next: [
      'Free or install what is missing, and try again.',
      converge(['plan', '-i', 'PATH'], { say: 'Your own hosts need nothing of it:' }),
    ],
  })
}

function otherwise(what: string): ConvergeError {
  return new ConvergeError('DEMO.OTHERWISE', {
    summary: 'the demo failed',
    why: `${what}. What it printed stands above.`,
    next: [
      'Try once more: on a busy machine a simulated server may not be up in time.',
      'Otherwise please report it, with what stands above.',
    ],
  })
}
