import { resolve } from 'node:path'
import { published } from '../../../schemas/published.ts'
import type { Context } from '../../context/context.ts'
import { type ExitCode, exitCodes, worstOf } from '../../context/exit-code.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { exampleInventory, examples } from '../../inventory/create/examples.ts'
import type { NewFiles } from '../../inventory/create/new-inventory.ts'
import { readTarget, type Target } from '../../inventory/create/target.ts'
import { defined } from '../../lib/defined.ts'
import { converge } from '../../lib/next-command.ts'
import { ownMember } from '../../lib/own-member.ts'
import type { HostFacts } from '../../model/facts.ts'
import type { NextStep } from '../../model/next-step.ts'
import type { Problem } from '../../model/plan.ts'
import { renderInitHosts, renderInitServers, renderNewFiles, renderStepsAfter, stepsAfterInit } from '../../report/init-text.ts'
import { isAgreed, mustBeAbleToAsk, notWanted } from '../../run/ask.ts'
import { chooseHosts, hostsToOffer, nameThem } from '../../run/init/config-hosts.ts'
import { isSeen, lookAtHosts } from '../../run/init/look-at-hosts.ts'
import { editsFor, placeOfNew } from '../../run/init/place.ts'
import { defaultOrg, type ProposedInventory, proposeInventory } from '../../run/init/propose-inventory.ts'
import type { HostFlags } from '../../run/run.ts'
import { unseenExit } from '../../run/unseen-exit.ts'
import { schemaFolder, schemaText } from '../../run/write-schemas.ts'
import { writeWithKeys } from '../../run/write-with-keys.ts'
import { offering } from '../offered-values.ts'
import { groups } from '../option-groups.ts'
import { withConfirm, withHosts } from '../options.ts'
import type { Verb } from '../verb.ts'

interface InitFlags extends HostFlags {
  readonly example?: string | undefined
  readonly keyFile?: string | undefined
  readonly confirm?: boolean | undefined
}

/** `converge init [HOST …]`: a first inventory, of hosts that are looked at, with what runs there. Writes on no host. */
export const verb: Verb = {
  configure(command, finish) {
    const own = command
      .argument('[hosts...]', 'hosts as for ssh: [NAME=][USER@]HOST[:PORT] (default: offer those of ~/.ssh/config)')
      .option('--example <machine>', `contact no host; write an example to start from: ${machines.join(', ')}`, machine)
      .option('--key-file <dir>', 'store the API keys of running servers in this folder, readable by you alone')
      .optionsGroup(groups.selection)
      .option('-i, --inventory <path>', 'folder to create (default: $CONVERGE_INVENTORY, or inventories/home)')
    withHosts(withConfirm(own))
      .optionsGroup(groups.output)
      .option('--no-color', 'disable colours (as does NO_COLOR)')
      .option('-q, --quiet', 'hide progress on stderr')
      .action((hosts, flags) =>
        finish((context) => {
          if (flags.example === undefined) return initFromHosts(context, flags, hosts)
          if (hosts.length === 0) return initFromExample(context, flags, flags.example)
          throw misused('--example takes no hosts.', 'It writes an example and contacts no host.', [
            converge(['init', '--example', flags.example]),
          ])
        }),
      )
  },
}

const machines = Object.keys(examples)

const machine = offering((name: string) => name, { values: machines })

async function initFromHosts(context: Context, flags: InitFlags, named: readonly string[]): Promise<ExitCode> {
  const place = await placeOfNew(context, flags.inventory)
  const canAsk = context.stdin.isTTY && context.err.isTerminal
  const names = named.length > 0 ? named : await namesFromConfig(context, flags, canAsk)
  if (names.length === 0) return nothingWritten(context)
  const targets = targetsOf(names)
  mustBeAbleToAsk(context, flags, flags.confirm === true)
  const seen = await lookAtHosts(context, flags, targets, canAsk)
  const hosts = seen.map(({ target, ...rest }) => ({ name: target.name, ...rest }))
  context.out.writeProse(renderInitHosts(hosts, context.out.paint))
  const exit = exitOf(hosts.map(({ facts }) => facts))
  if (hosts.every(({ facts }) => !isSeen(facts))) return nothingWritten(context, exit)
  const keyFolder = flags.keyFile === undefined ? undefined : resolve(context.cwd, flags.keyFile)
  const request = { services: [], names: new Map(), ...defined({ keyFolder }) }
  const { document, ...proposed } = await proposeInventory(context, flags, seen, request)
  // The display of progress ends with an empty line.
  const gap = context.out.isTerminal && flags.quiet !== true ? '' : '\n'
  context.out.writeProse(`${gap}${renderInitServers(document, context.out.paint)}\n`)
  const next = stepsAfterInit({ folder: place, hosts, document })
  const lost = exitOf(document.hosts.map(({ problem }) => problem))
  return write(context, { ...flags, place, ...proposed, next, exit: worstOf([exit, lost]) })
}

function exitOf(seen: readonly (HostFacts | Problem | undefined)[]): ExitCode {
  return worstOf([exitCodes.done, ...seen.flatMap((one) => (one === undefined || isSeen(one) ? [] : [unseenExit(one)]))])
}

async function initFromExample(context: Context, flags: InitFlags, name: string): Promise<ExitCode> {
  const example = ownMember(examples, name)
  if (example === undefined) throw noSuchExample(name)
  const place = await placeOfNew(context, flags.inventory)
  mustBeAbleToAsk(context, flags, flags.confirm === true)
  const files = exampleInventory(example, defaultOrg())
  const next = [
    `Set the names, paths and sizes of your machine in ${place}.`,
    converge(['validate'], { say: 'Then:' }),
    converge(['plan']),
  ]
  return write(context, { ...flags, place, files, keys: new Map(), next, exit: exitCodes.done })
}

interface Written extends InitFlags, Pick<ProposedInventory, 'files' | 'keys'> {
  readonly place: string
  readonly next: readonly NextStep[]
  readonly exit: ExitCode
}

async function write(context: Context, { place, files, keys, next, exit, confirm = false }: Written): Promise<ExitCode> {
  const { out, err } = context
  const all = { ...schemas(), ...files }
  out.writeProse(renderNewFiles(place, Object.keys(all), out.paint))
  if (!confirm && !(await isAgreed(context, 'Write it?'))) return nothingWritten(context)
  await writeWithKeys({ edits: editsFor(context, place, all), keys }, { next: [converge(context.argv)] })
  err.writeProse(`\nWritten.\n${renderStepsAfter(next, err.paint)}`)
  return exit
}

/** Those that the comments in the files name. */
function schemas(): NewFiles {
  const named = Object.entries(published).filter(([name]) => ['inventory', 'group-vars'].includes(name))
  return Object.fromEntries(named.map(([name, schema]) => [`${schemaFolder}/${name}.schema.json`, schemaText(schema)]))
}

async function namesFromConfig(context: Context, flags: InitFlags, canAsk: boolean): Promise<readonly string[]> {
  const names = await hostsToOffer(context, flags)
  if (!canAsk) throw nameThem(names, flags.sshConfig)
  return chooseHosts(context, names)
}

/** @throws ConvergeError `USAGE.COMMAND` */
function targetsOf(names: readonly string[]): readonly Target[] {
  const targets = new Map<string, Target>()
  for (const text of new Set(names)) {
    const target = readTarget(text)
    if (typeof target === 'string')
      throw misused('A host cannot be used.', target, ['Name hosts as [NAME=][USER@]HOST[:PORT], for example nas=op@192.0.2.7.'])
    if (targets.has(target.name))
      throw misused('Two hosts have one name.', `${target.name} stands for two of them.`, ['Give one another name: NAME=HOST.'])
    targets.set(target.name, target)
  }
  return [...targets.values()]
}

function noSuchExample(name: string): ConvergeError {
  return misused(
    'The example does not exist.',
    `There is no example \`${name}\`.`,
    machines.map((one) => converge(['init', '--example', one])),
  )
}

function misused(summary: string, why: string, next: readonly NextStep[]): ConvergeError {
  return new ConvergeError('USAGE.COMMAND', { summary, why, next })
}

function nothingWritten({ err }: Context, exit: ExitCode = notWanted): ExitCode {
  err.writeProse('\nNothing was written.\n')
  return exit
}
