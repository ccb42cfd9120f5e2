import { ConvergeError } from '../../errors/converge-error.ts'
import { runTool } from '../../transports/child-process.ts'
import { noSshClient } from '../../transports/errors/no-ssh-client.ts'
import { exitCodes } from '../exit-code.ts'
import type { Verb } from '../verb.ts'

/** `converge demo`: the real commands, over SSH, on hosts that are simulated in this process. */
export const verb: Verb = {
  configure(command, finish) {
    command
      .option('--keep', 'leave the fleet up afterwards, for trying things')
      .option('--no-color', 'no colours (NO_COLOR works as well)')
      .action(({ keep = false }) =>
        finish(async ({ out, env, signal, stdin }) => {
          if ((await runTool('ssh', ['-V'], { env, signal })).missing)
            throw noSshClient('The tour reaches its hosts over SSH, and there is no ssh program on the PATH of this machine.')
          const { runDemo } = await import('../../../simulation/demo/demo.ts')
          const end = await runDemo({
            out: (text) => out.write(text),
            paint: out.paint,
            env,
            signal,
            stdin,
            keep,
            converge: [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
          })
          if (end === 'told') return exitCodes.done
          if (end === 'interrupted') return exitCodes.interrupted
          throw new ConvergeError('DEMO.OTHERWISE', {
            summary: 'the tour did not go as it should',
            why: `${end.message}. What it printed stands above.`,
            next: [
              'Try once more: on a busy machine a simulated server may not be up in time.',
              'Otherwise please report it, with what stands above.',
            ],
          })
        }),
      )
  },
}
