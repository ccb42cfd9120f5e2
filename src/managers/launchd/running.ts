import { defined } from '../../lib/defined.ts'
import { ownMember } from '../../lib/own-member.ts'
import type { FieldChange } from '../../model/action.ts'
import type { HostFacts, Resident } from '../../model/facts.ts'
import type { LaunchAgent } from '../../model/launchd-fact.ts'
import { known, mapObserved, type Observed } from '../../model/observed.ts'
import { Secret } from '../../model/secret.ts'
import { serverKinds } from '../../servers/index.ts'
import type { KindFields } from '../../servers/kind-fields.ts'
import { settingOfVariable } from '../../servers/setting.ts'
import { compareFields, restartOf, withPrefix } from '../compare-fields.ts'
import type { Fields } from '../flag-fields.ts'
import type { RenderInput } from '../manager.ts'
import { compareRunningFiles } from '../running-files.ts'
import { compareKey } from '../running-key.ts'
import { accountOf, environmentOf, launchAsAgent, logPath, programArguments } from './definition.ts'
import { domainOf } from './domain.ts'
import { commandFields } from './fields.ts'
import { seenAgent, seenProcess } from './seen.ts'

/** Compares the job that launchd has loaded, whatever its file says now, and the key of its process. */
export function compareRunningAgent(input: RenderInput, facts: HostFacts): Observed<readonly FieldChange[]> {
  const agent = seenAgent(input.service, facts, input.settings.org)
  if (!agent.known) return agent
  if (agent.value === null || agent.value.pid === null) return known([])
  const process = seenProcess(agent.value, facts)
  if (!process.known) return process
  const holder = { startedAt: process.value?.startedAt, env: process.value?.env ?? jobEnvironment(input, agent.value) }
  return mapObserved(compareKey(input, facts, holder), (key) => [
    ...compareJob(input, agent.value),
    ...compareAccount(input, process.value),
    ...compareRunningFiles(input.service, facts, process.value ?? undefined),
    ...key,
  ])
}

/** A daemon runs as the account of its definition, which launchd does not report of a job. */
function compareAccount({ service, layout }: RenderInput, process: Resident | null): readonly FieldChange[] {
  const to = accountOf(service, layout)
  if (domainOf(service) !== 'system' || process === null || process.user === to) return []
  return [{ field: 'running.user', from: process.user, to, effect: restartOf(service.kind) }]
}

/** The environment that launchd sets; a key from a file is added later, by the shell that executes the server. */
function jobEnvironment(input: RenderInput, { environment }: LaunchAgent): LaunchAgent['environment'] {
  return Object.keys(launchAsAgent(input).secretEnv).length === 0 ? environment : undefined
}

/** Where the loaded job differs from the desired one; ignores what launchd does not report. */
export function compareJob(input: RenderInput, agent: LaunchAgent | null): readonly FieldChange[] {
  if (agent === null) return []
  const wanted = wantedFields(input)
  const loaded = loadedFields(agent, Object.keys(wanted), serverKinds[input.service.kind].fields)
  const comparable = Object.entries(wanted).filter(
    ([name]) => name.startsWith('command.') || ownMember(loaded, name) !== undefined || reports(agent, name),
  )
  const desired = Object.fromEntries(comparable.map(([name, value]) => [name, asReported(value, ownMember(loaded, name))]))
  const effect = restartOf(input.service.kind)
  return withPrefix(
    'running',
    compareFields(loaded, desired, () => effect),
  )
}

/** Names that the probe redacts as keys: the digest of the file detects changed values. */
const hidden = /key|token|passw|passphrase|[_-]pass|pwd|credential|secret|authorization/i

/** Neither redacted keys nor blanks around a word, which the indent of launchctl hides, are a difference. */
function asReported(wanted: string, loaded: string | undefined): string {
  if (loaded === undefined) return wanted
  const at = loaded.indexOf('***')
  const same = at < 0 ? wanted.trim() === loaded.trim() : wanted.startsWith(loaded.slice(0, at))
  return same ? loaded : wanted
}

function wantedFields(input: RenderInput): Fields {
  const launch = launchAsAgent(input)
  const plain = Object.entries(environmentOf(input, launch)).filter(
    ([name, value]) => !(value instanceof Secret) && !hidden.test(name),
  )
  return {
    ...commandFields(programArguments(input, launch).map(String)),
    ...Object.fromEntries(plain.map(([name, value]) => [`environment.${name}`, String(value)])),
    StandardOutPath: logPath(input.service, input.layout),
  }
}

/** launchd adds variables of its own: only those that are wanted count, and those that the program reads as a setting. Keys are compared apart. */
function loadedFields(agent: LaunchAgent, wanted: readonly string[], kind: KindFields): Fields {
  const { arguments: words = [], environment = {}, stdoutPath } = agent
  const isRead = (name: string) => {
    const setting = settingOfVariable(kind, name)
    if (setting !== undefined) return setting.key === undefined
    return kind.flagVariables !== undefined && name.startsWith(kind.flagVariables)
  }
  const variables = Object.entries(environment).filter(([name]) => wanted.includes(`environment.${name}`) || isRead(name))
  return {
    ...commandFields(words),
    ...Object.fromEntries(variables.map(([name, value]) => [`environment.${name}`, value])),
    ...defined({ StandardOutPath: stdoutPath }),
  }
}

function reports({ environment }: LaunchAgent, field: string): boolean {
  return field.startsWith('environment.') && environment !== undefined
}
