import { join } from 'node:path'
import type { Source, Verdict } from '../../adopt/judge-adoption.ts'
import { type ProposedService, proposeService, type SeenServer } from '../../adopt/propose-service.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { hostBug } from '../../errors/host-bug.ts'
import { assumedPlatform } from '../../inventory/defaults.ts'
import { defined } from '../../lib/defined.ts'
import { globMatches } from '../../lib/glob.ts'
import { converge } from '../../lib/next-command.ts'
import { textDiff } from '../../lib/text-diff.ts'
import type { FieldChange } from '../../model/action.ts'
import type { AdoptDocument, AdoptedHost, AdoptReason, FoundServer } from '../../model/adopt-document.ts'
import type { Resident } from '../../model/facts.ts'
import type { FileEdit } from '../../model/file-edit.ts'
import type { Host } from '../../model/fleet.ts'
import type { Problem } from '../../model/plan.ts'
import type { Secret } from '../../model/secret.ts'
import type { KeyOrigin } from '../../servers/read-back.ts'
import { keyOfProcess } from '../../verify/key-of-process.ts'
import type { Run } from '../run.ts'
import type { Candidate } from './judge-proposals.ts'
import { lookForServers, type Sighting } from './look-for-servers.ts'
import { settleCandidates } from './settle-candidates.ts'

/** What is asked of `adopt`. */
export interface AdoptRequest {
  /** Globs of proposed names; empty: all. */
  readonly services: readonly string[]
  /** New names by proposed ones. */
  readonly names: ReadonlyMap<string, string>
  /** Folder on this machine for keys that the servers have; absent: services refer to variables. */
  readonly keyFolder?: string
  /** What describes a server whose definition was edited after its start. Absent: it is left out. */
  readonly source?: Source
}

export interface Adoption {
  readonly document: Omit<AdoptDocument, 'written'>
  readonly edits: readonly FileEdit[]
  /** Keys of the services that are written, by the file that they refer to. */
  readonly keys: ReadonlyMap<string, Secret>
}

/** One server of one host, and the service that would describe it. */
interface Found extends Sighting {
  readonly host: string
  readonly proposal?: ProposedService
  /** The key that it has, and the file for it. */
  readonly key?: { readonly file: string; readonly secret: Secret }
  /** Why it cannot be described. */
  readonly refusal?: AdoptReason
  readonly asDefined?: Candidate['asDefined']
}

/** Finds servers that the inventory does not have, and the edits that would describe them; writes nothing. */
export async function adoptServers(run: Run, request: AdoptRequest): Promise<Adoption> {
  const seen = await run.observe(run.open.hosts, { keep: true, phase: 'gather' })
  const looked = await Promise.all(
    run.open.hosts.map(async (host) => {
      const facts = seen.get(host.name)
      if (facts === undefined) return { host, found: [] }
      if (!('salt' in facts)) return { host, problem: facts, found: [] }
      try {
        const found = proposals(host, facts, await lookForServers(run, host, facts), request)
        return { host, found: await Promise.all(found.map((one) => withKey(run, host, one, request))) }
      } catch (error) {
        if (run.context.signal.aborted) throw error
        return { host, problem: hostBug(host.name, error).toProblem(), found: [] }
      }
    }),
  )
  mustBeFound(
    request.names,
    looked.flatMap(({ found }) => found),
  )
  const candidates = looked.flatMap(({ found }) => found.flatMap(candidateOf))
  const { verdicts, edits, adopted } = await settleCandidates(run, candidates, request.source)
  return {
    document: {
      schema: 'converge/adopt/v1',
      created_at: run.context.now().toISOString(),
      inventory: run.open.fleet.path,
      hosts: looked.map((one) => hostOf(one, verdicts)),
      files: edits.map(({ file, before, after }) => ({
        file,
        is_new: before === null,
        diff: textDiff(file, before ?? '', after),
      })),
    },
    edits,
    keys: new Map(adopted.flatMap(({ key }) => (key === undefined ? [] : [[key.file, key.secret] as const]))),
  }
}

/** Keeps the key that a server has in a file of this machine, instead of a variable that a person has to set. */
async function withKey(run: Run, host: Host, found: Found, { keyFolder }: AdoptRequest): Promise<Found> {
  const { proposal, resident, seen, refusal } = found
  // Anyone can start a server by hand: only what an administrator set up is asked for its key.
  if (keyFolder === undefined || proposal?.key === undefined || refusal !== undefined || seen?.supervisor === undefined)
    return found
  if (isKeyElsewhere(found)) return { ...found, refusal: unreadableKey('file') }
  const view = await run.connections.to(host)
  const secret = await keyOfProcess(view, { ...resident, ...seen.surveyed }, proposal.key, run.context.signal)
  if (secret === undefined) return { ...found, refusal: unreadableKey(proposal.key.by) }
  const file = join(keyFolder, `${host.name}-${proposal.name}.key`)
  return { ...found, key: { file, secret }, proposal: { ...proposal, fields: { ...proposal.fields, api_key: { file } } } }
}

/** The path of a key file in a container is that of another file on the host. */
function isKeyElsewhere({ proposal, resident }: Found): boolean {
  return proposal?.key?.by === 'file' && resident.container !== undefined
}

function unreadableKey(by: KeyOrigin['by']): AdoptReason {
  return {
    code: 'KEY.MISSING',
    why: `Its API key comes from its ${by}, which this account cannot read, or has more than one key in it.`,
    next: ['Omit --key-file, and set the variable that is proposed then.'],
  }
}

/** @throws ConvergeError `USAGE.SERVICE` if a name that is to be replaced was not proposed */
function mustBeFound(names: AdoptRequest['names'], found: readonly Found[]): void {
  const proposed = new Set(found.map(({ proposal }) => proposal?.proposedName))
  const [unknown] = [...names.keys()].filter((name) => !proposed.has(name))
  if (unknown === undefined) return
  throw new ConvergeError('USAGE.SERVICE', {
    summary: 'No server has the name that --name replaces.',
    why: `\`${unknown}\` is not among the proposed names.`,
    next: [converge(['adopt'], { note: 'lists them' })],
  })
}

function proposals(
  host: Host,
  facts: Parameters<typeof lookForServers>[2],
  sightings: readonly Sighting[],
  { services, names }: AdoptRequest,
): readonly Found[] {
  const taken = new Set(host.services.map(({ name }) => name))
  const platform = host.platform ?? (facts.platform.known ? facts.platform.value.os : assumedPlatform)
  return sightings.flatMap((sighting): readonly Found[] => {
    const found = { ...sighting, host: host.name }
    const { seen } = sighting
    if (seen === undefined) return services.length > 0 ? [] : [{ ...found, refusal: foreignProgram(sighting) }]
    const proposal = proposeService(seen, { facts, platform, taken, names })
    const { name } = proposal
    const asDefined = (stale: readonly FieldChange[]) =>
      proposeService(seen, { facts, platform, taken, names, edited: { stale, name } })
    const refusal = taken.has(proposal.name) ? nameTaken(proposal.name) : refusalOf(seen, proposal)
    taken.add(proposal.name)
    if (services.length > 0 && !services.some((glob) => globMatches(glob, proposal.proposedName))) return []
    return [{ ...found, proposal, asDefined, ...defined({ refusal }) }]
  })
}

function nameTaken(name: string): AdoptReason {
  return {
    code: 'USAGE.SERVICE',
    why: `Another service of the host is called ${name}.`,
    next: ['Choose another name with --name.'],
  }
}

function foreignProgram({ resident }: Sighting): AdoptReason {
  return {
    code: 'ADOPT.UNMANAGEABLE',
    why: `It is a server of another program, ${resident.program}.`,
    next: ['Leave it to that program. The plan counts its memory.'],
  }
}

function refusalOf({ supervisor, resident }: SeenServer, { problems }: ProposedService): AdoptReason | undefined {
  if (supervisor?.unmanageable !== undefined)
    return {
      code: 'ADOPT.UNMANAGEABLE',
      why: `converge cannot manage it: ${supervisor.unmanageable}.`,
      next: ['Leave it as it is. The plan counts its memory.'],
    }
  if (supervisor === undefined && resident.container !== undefined) return unknownContainer
  const [first] = problems
  return first === undefined
    ? undefined
    : {
        code: 'ADOPT.INEXPRESSIBLE',
        why: `The inventory cannot express ${problems.map(({ word, why }) => `${word} (${why})`).join('; ')}.`,
        next: ['Start the server without it, or add the service to the inventory yourself.'],
      }
}

const unknownContainer: AdoptReason = {
  code: 'ADOPT.UNCLEAR',
  why: 'It runs in a container that the engine did not show: of another engine, or of one that this account cannot use.',
  next: ['Let the account use the engine, or set `ansible_become: true` for the host.'],
}

function candidateOf({ host, resident, proposal, refusal, key, asDefined }: Found): readonly Candidate[] {
  if (proposal === undefined || asDefined === undefined || refusal !== undefined) return []
  return [{ host, resident, proposal, asDefined, ...defined({ key }) }]
}

interface Looked {
  readonly host: Host
  readonly found: readonly Found[]
  readonly problem?: Problem
}

function hostOf({ host, found, problem }: Looked, verdicts: ReadonlyMap<string, Verdict>): AdoptedHost {
  return {
    host: host.name,
    ...(problem === undefined ? {} : { problem }),
    servers: found.map((one) => serverOf(one, verdicts)),
  }
}

function serverOf(found: Found, verdicts: ReadonlyMap<string, Verdict>): FoundServer {
  const { host, resident, seen, proposal } = found
  const verdict = proposal === undefined ? undefined : verdicts.get(`${host}/${proposal.name}`)
  return {
    pid: resident.pid,
    program: resident.program,
    kind: seen?.kind ?? null,
    runs_from: seen?.supervisor?.words ?? null,
    ...(proposal === undefined ? undescribed(resident) : described(proposal)),
    rss_bytes: resident.rssBytes,
    ...(verdict ?? refusedOutright(found)),
  }
}

function described({ seen, key, name }: ProposedService) {
  return { ...seen, key: key?.by ?? null, service: name }
}

function undescribed({ port }: Resident) {
  return { port: port ?? null, model: null, alias: null, key: null, service: null }
}

function refusedOutright({ refusal }: Found): Verdict {
  return { adoptable: 'no', reasons: refusal === undefined ? [] : [refusal], waits: [] }
}
