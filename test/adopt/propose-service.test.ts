import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { supervisorOf } from '../../src/adopt/find-servers.ts'
import { proposeService } from '../../src/adopt/propose-service.ts'
import { readSurvey } from '../../src/adopt/survey.ts'
import type { HostFacts, Resident } from '../../src/model/facts.ts'
import type { HttpFact } from '../../src/model/http-fact.ts'
import type { Platform, ServerKindName } from '../../src/model/names.ts'
import { known } from '../../src/model/observed.ts'
import type { KeyOrigin } from '../../src/servers/read-back.ts'
import { aHost, someFacts } from '../support/build.ts'

interface ProposalCase {
  readonly about: string
  /** Absent: linux. */
  readonly platform?: Platform
  /** Absent: A. */
  readonly kind?: ServerKindName
  /** Words of the process (pid 7), split at blanks as `ps` shows them. */
  readonly argv: string
  readonly ppid?: number
  readonly executable?: string
  readonly user?: string
  readonly unit?: string
  readonly survey: string
  readonly listens?: number
  readonly http?: { readonly models: readonly string[]; readonly props: { readonly nCtx?: number; readonly alias?: string } }
  readonly disabled?: readonly string[]
  readonly taken?: readonly string[]
  readonly names?: Readonly<Record<string, string>>
  /** What comes of it. */
  readonly name?: string
  readonly fields?: Readonly<Record<string, unknown>>
  readonly key?: KeyOrigin
  /** Words that the inventory cannot express. */
  readonly problems?: readonly string[]
  readonly unmanageable?: string
  readonly supervisor?: 'none'
}

const cases: readonly ProposalCase[] = parse(readFileSync(new URL('../fixtures/adopt/proposals.yaml', import.meta.url), 'utf8'))

test.each(cases)('$about', (given) => {
  const { platform = 'linux', kind = 'A', survey, taken = [], names = {} } = given
  const resident = residentOf(given)
  const facts = factsOf(given, resident)
  const surveyed = readSurvey(survey, [7])
  if (!surveyed.known) throw new Error(surveyed.detail)
  const [process] = surveyed.value
  const supervisor = supervisorOf(resident, process, facts)
  const seen = {
    resident,
    kind,
    surveyed: process,
    supervisor,
    ...(given.http === undefined ? {} : { http: known(httpOf(given.http)) }),
  }
  const proposal = proposeService(seen, { facts, platform, taken: new Set(taken), names: new Map(Object.entries(names)) })
  expect({ supervisor: supervisor === undefined ? 'none' : undefined, unmanageable: supervisor?.unmanageable }).toEqual({
    supervisor: given.supervisor,
    unmanageable: given.unmanageable,
  })
  if (given.name === undefined) return
  const { name, fields, key, problems } = proposal
  expect({ name, problems: problems.map(({ word }) => word) }).toEqual({ name: given.name, problems: given.problems ?? [] })
  // oxlint-disable-next-line vitest/no-conditional-expect -- a server that is refused has no fields to be compared
  if (given.fields !== undefined) expect([Object.entries(fields), key]).toEqual([Object.entries(given.fields), given.key])
})

function residentOf({ kind = 'A', argv, ppid = 1, executable, user = 'op', unit }: ProposalCase): Resident {
  return {
    pid: 7,
    ppid,
    start: '1000',
    user,
    command: 'llama-server',
    argv: argv.split(' '),
    rssBytes: 1,
    role: kind,
    program: kind === 'A' ? 'llama-server' : 'serve',
    ...(executable === undefined ? {} : { executable: { path: executable, inode: '1' } }),
    ...(unit === undefined ? {} : { unit }),
  }
}

function factsOf({ platform = 'linux', listens, disabled = [] }: ProposalCase, { pid }: Resident): HostFacts {
  const isMac = platform === 'macos'
  const listener = { address: '127.0.0.1', port: listens ?? 0, pid: known(pid), process: 'llama-server' }
  return someFacts(aHost({ platform }), {
    layout: known({ user: 'op', home: isMac ? '/Users/op' : '/home/op', effectiveUid: 0, root: '/etc/converge' }),
    listeners: known(listens === undefined ? [] : [listener]),
    ...(isMac ? { launchd: known({ agents: {}, disabled: known(disabled), managerName: known('Background') }) } : {}),
  })
}

function httpOf({ models, props }: NonNullable<ProposalCase['http']>): HttpFact {
  const unasked = { known: false, because: 'not-gathered' } as const
  const answers = { models: known(models), props: known(props) }
  return { health: { status: 200, ms: 1 }, ...answers, busy: unasked, completed: unasked, keyAccepted: unasked }
}
