import { resolve } from 'node:path'
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { type ExitCode, exitCodes, worstOf } from '../../context/exit-code.ts'
import { defined } from '../../lib/defined.ts'
import { converge } from '../../lib/next-command.ts'
import type { AdoptDocument } from '../../model/adopt-document.ts'
import type { NextStep } from '../../model/next-step.ts'
import { renderAdoption } from '../../report/adopt-text.ts'
import { nextText } from '../../report/next-text.ts'
import type { Paint } from '../../report/paint.ts'
import { adoptServers } from '../../run/adopt/adopt-servers.ts'
import { deliver } from '../../run/deliver.ts'
import { withRun } from '../../run/run.ts'
import { unseenExit } from '../../run/unseen-exit.ts'
import { writeWithKeys } from '../../run/write-with-keys.ts'
import { offering } from '../offered-values.ts'
import { collect, withHosts, withInventory, withOutput } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge adopt`: what runs on hosts and is not in the inventory, and the inventory that would describe it. Writes on no host. */
export const verb: Verb = {
  configure(command, finish) {
    const own = command
      .argument('[pattern]', "only these hosts, such as nas or 'macs:&small'")
      .option('--write', 'write the services into the inventory')
      .option('-s, --service <glob>', 'only servers whose proposed name matches (repeatable)', collect)
      .option('--name <OLD=NEW>', 'call the server NEW instead of the proposed OLD (repeatable)', renaming)
      .addOption(
        new Option(
          '--from <source>',
          'where a definition was edited after its server had started: describe what runs, or what the file would start; apply then needs an approval',
        ).choices(['running', 'file']),
      )
      .option('--key-file <dir>', 'with --write: store the API keys that the servers have in this folder, readable by you alone')
    withOutput(withHosts(withInventory(own))).action(
      (hosts, { write = false, service = [], name = [], keyFile, from: source, ...flags }) =>
        finish((context) =>
          withRun(context, { ...flags, limit: hosts }, async (run) => {
            const keyFolder = keyFile === undefined ? undefined : resolve(context.cwd, keyFile)
            const request = { services: service, names: new Map(name), ...defined({ keyFolder, source }) }
            const { document, ...adoption } = await adoptServers(run, request)
            await run.stopDisplay()
            const again = [
              ...(hosts === undefined ? [] : [hosts]),
              ...service.flatMap((glob) => ['-s', glob]),
              ...name.flatMap(([from, to]) => ['--name', `${from}=${to}`]),
              ...(keyFile === undefined ? [] : ['--key-file', keyFile]),
              ...(source === undefined ? [] : ['--from', source]),
            ]
            const written = write && adoption.edits.length > 0
            if (written) await writeWithKeys(adoption, { next: [converge(['adopt', ...again, '--write'])] })
            const whole = { ...document, written }
            const text = (paint: Paint) => renderAdoption(whole, { paint, verbose: flags.verbose === true })
            await deliver({ context, flags }, { document: whole, text })
            const next = nextStep(whole, again)
            if (next !== undefined && flags.json !== true) context.err.writeProse(`\n${nextText(next, context.err.paint)}\n`)
            return exitOf(whole)
          }),
        ),
    )
  },
}

const renaming = offering(
  (text: string, previous: [string, string][] | undefined): [string, string][] => {
    const [from = '', to = '', ...rest] = text.split('=')
    if (from === '' || to === '' || rest.length > 0) throw new InvalidArgumentError('It has the form OLD=NEW.')
    return [...(previous ?? []), [from, to]]
  },
  { isRepeatable: true },
)

function nextStep({ files, written, hosts }: AdoptDocument, again: readonly string[]): NextStep | undefined {
  if (files.length === 0) return undefined
  if (!written) return converge(['adopt', ...again, '--write'], { say: 'To write this into the inventory:' })
  const names = hosts.filter(({ servers }) => servers.some(({ adoptable }) => adoptable === 'adopt')).map(({ host }) => host)
  if (names.length === 0) return converge(['plan'], { say: 'To see the restarts that are waiting for an approval:' })
  return converge(['apply', '--limit', names.join(',')], { say: 'To take the servers over, without a restart:' })
}

/** 3: a server was found that cannot be adopted as it is. */
function exitOf({ hosts }: AdoptDocument): ExitCode {
  return worstOf([
    exitCodes.done,
    ...hosts.flatMap(({ problem }) => (problem === undefined ? [] : [unseenExit(problem)])),
    ...hosts.flatMap(({ servers }) => (servers.some(({ adoptable }) => adoptable !== 'adopt') ? [exitCodes.refused] : [])),
  ])
}
