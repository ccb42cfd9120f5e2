import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { InvalidArgumentError } from '@commander-js/extra-typings'
import { type ExitCode, exitCodes, worstOf } from '../../context/exit-code.ts'
import { defined } from '../../lib/defined.ts'
import { converge } from '../../lib/next-command.ts'
import { shellQuote } from '../../lib/shell-quote.ts'
import type { AdoptDocument } from '../../model/adopt-document.ts'
import { renderAdoption } from '../../report/adopt-text.ts'
import type { Paint } from '../../report/paint.ts'
import { type Adoption, adoptServers } from '../../run/adopt/adopt-servers.ts'
import { deliver } from '../../run/deliver.ts'
import { withRun } from '../../run/run.ts'
import { unseenExit } from '../../run/unseen-exit.ts'
import { writeEdits } from '../../run/write-edits.ts'
import { storeKey } from '../../state/store-key.ts'
import { collect, withHosts, withInventory, withOutput } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge adopt`: what runs on hosts and is not in the inventory, and the inventory that would describe it. Writes on no host. */
export const verb: Verb = {
  configure(command, finish) {
    const own = command
      .argument('[hosts]', "only these hosts, such as nas or 'macs:&small'")
      .option('--write', 'write the services into the inventory')
      .option('-s, --service <glob>', 'only servers whose proposed name matches (repeatable)', collect)
      .option('--name <OLD=NEW>', 'another name than the proposed one (repeatable)', renaming)
      .option('--key-file <dir>', 'with --write: store the API keys that the servers have in this folder, readable by you alone')
    withOutput(withHosts(withInventory(own))).action((hosts, { write = false, service = [], name = [], keyFile, ...flags }) =>
      finish((context) =>
        withRun(context, { ...flags, limit: hosts }, async (run) => {
          const keyFolder = keyFile === undefined ? undefined : resolve(context.cwd, keyFile)
          const request = { services: service, names: new Map(name), ...defined({ keyFolder }) }
          const { document, ...adoption } = await adoptServers(run, request)
          await run.stopDisplay()
          const written = write && adoption.edits.length > 0
          if (written) await writeAdoption(adoption, hosts)
          const whole = { ...document, written }
          await deliver({ context, flags }, { document: whole, text: (paint: Paint) => renderAdoption(whole, paint) })
          const next = nextCommand(whole, hosts)
          if (next !== undefined && flags.json !== true) context.err.writeProse(`\n${next}\n`)
          return exitOf(whole)
        }),
      ),
    )
  },
}

/** The keys first: a service without its key could not be planned. They are removed again if the inventory cannot be written. */
async function writeAdoption({ edits, keys }: Pick<Adoption, 'edits' | 'keys'>, hosts: string | undefined): Promise<void> {
  const created: string[] = []
  try {
    for (const [file, key] of keys) if (await storeKey(file, key)) created.push(file)
    await writeEdits(edits, { next: [converge(['adopt', ...(hosts === undefined ? [] : [hosts]), '--write'])] })
  } catch (error) {
    await Promise.all(created.map((file) => rm(file, { force: true })))
    throw error
  }
}

function renaming(text: string, previous: [string, string][] | undefined): [string, string][] {
  const [from = '', to = '', ...rest] = text.split('=')
  if (from === '' || to === '' || rest.length > 0) throw new InvalidArgumentError('It has the form OLD=NEW.')
  return [...(previous ?? []), [from, to]]
}

function nextCommand({ files, written, hosts }: AdoptDocument, limit: string | undefined): string | undefined {
  if (files.length === 0) return undefined
  const target = limit === undefined ? [] : [limit]
  if (!written) return `To write this into the inventory:  ${shellQuote(['converge', 'adopt', ...target, '--write'])}`
  const names = hosts.filter(({ servers }) => servers.some(({ adoptable }) => adoptable === 'adopt')).map(({ host }) => host)
  return `Written. To take the servers over, without a restart:  ${shellQuote(['converge', 'apply', '--limit', names.join(',')])}`
}

/** 3: a server was found that cannot be adopted as it is. */
function exitOf({ hosts }: AdoptDocument): ExitCode {
  return worstOf([
    exitCodes.done,
    ...hosts.flatMap(({ problem }) => (problem === undefined ? [] : [unseenExit(problem)])),
    ...hosts.flatMap(({ servers }) => (servers.some(({ adoptable }) => adoptable !== 'adopt') ? [exitCodes.refused] : [])),
  ])
}
