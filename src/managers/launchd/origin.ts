import type { HostFacts } from '../../model/facts.ts'
import type { LaunchAgent } from '../../model/launchd-fact.ts'
import type { SurveyedAgent } from '../../model/survey.ts'
import type { StartedServer } from '../../servers/read-back.ts'
import type { FoundProcess, Origin } from '../manager.ts'
import { plistIn } from './definition.ts'

/** The agent or daemon that a process of a Mac belongs to. */
export function originOf(process: FoundProcess): Origin | undefined {
  const { agent, daemon } = process.surveyed ?? {}
  if (agent !== undefined) return agentOrigin(agent, process)
  return daemon === undefined
    ? undefined
    : {
        words: daemon === null ? 'a daemon' : `the daemon ${daemon}`,
        fields: {},
        unmanageable: 'it is a daemon of the system, and converge manages agents of the login account',
      }
}

function agentOrigin({ label, job }: SurveyedAgent, process: FoundProcess): Origin {
  if (label === null)
    return { words: 'an agent', fields: {}, unmanageable: 'the label of its agent has characters that converge does not accept' }
  const origin = { words: `the agent ${label}`, fields: { label } }
  if (label.startsWith('homebrew.mxcl.'))
    return {
      ...origin,
      unmanageable: 'it belongs to Homebrew (`brew services`), which would write its property list again',
    }
  if (!job.known) return { ...origin, unmanageable: `its job is unknown (${job.detail ?? job.because})` }
  const unmanageable = obstacleOf(label, job.value, process)
  return { ...origin, started: startedBy(job.value), ...(unmanageable === undefined ? {} : { unmanageable }) }
}

/** Why converge cannot manage a loaded agent as it is. */
function obstacleOf(label: string, { path, pid, arguments: words = [] }: LaunchAgent, process: FoundProcess): string | undefined {
  const { resident, facts } = process
  if (pid !== null && pid !== resident.pid && pid === resident.ppid)
    return `its agent starts ${words[0] ?? 'another program'}, which starts the server`
  if (path === undefined || !path.startsWith('/')) return 'a program loaded its agent without a property list'
  const expected = facts.layout.known ? plistIn(facts.layout.value, label) : path
  if (path !== expected)
    return `its property list is ${path}, and that of an agent of the account is ${expected}. Move it there and load it again when a restart suits you`
  return isDisabled(label, facts)
    ? `its label is disabled, so no login starts it. First run \`launchctl enable gui/$(id -u)/${label}\``
    : undefined
}

function isDisabled(label: string, { launchd }: HostFacts): boolean {
  return launchd.known && launchd.value.disabled.known && launchd.value.disabled.value.includes(label)
}

/** Variables that launchd itself sets, and those that the definitions of converge leave to it. */
const launchdsOwn: ReadonlySet<string> = new Set([
  'HOME',
  'LOGNAME',
  'MallocSpaceEfficient',
  'OSLogRateLimit',
  'PATH',
  'SHELL',
  'SSH_AUTH_SOCK',
  'TMPDIR',
  'USER',
  'XPC_FLAGS',
  'XPC_SERVICE_NAME',
])

/** No command of macOS separates the arguments of a process, nor shows its environment. */
function startedBy({ arguments: argv = [], environment }: LaunchAgent): StartedServer {
  const env = Object.entries(environment ?? {}).filter(([name]) => !launchdsOwn.has(name))
  return { argv, env: environment === undefined ? undefined : Object.fromEntries(env), ownEnv: true }
}
