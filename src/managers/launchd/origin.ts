import type { LaunchAgent } from '../../model/launchd-fact.ts'
import type { LaunchdDomain } from '../../model/names.ts'
import type { SurveyedAgent } from '../../model/survey.ts'
import type { StartedServer } from '../../servers/read-back.ts'
import type { FoundProcess, Origin } from '../manager.ts'
import { domainWords, type JobName, plistIn } from './domain.ts'
import { isDisabled } from './seen.ts'

/** The agent or daemon that a process of a Mac belongs to. */
export function originOf(process: FoundProcess): Origin | undefined {
  const { agent, daemon } = process.surveyed ?? {}
  if (agent !== undefined) return jobOrigin('gui', agent, process)
  return daemon === undefined ? undefined : jobOrigin('system', daemon, process)
}

function jobOrigin(domain: LaunchdDomain, { label, job }: SurveyedAgent, process: FoundProcess): Origin {
  const what = domainWords[domain].job
  if (label === null)
    return {
      words: `${domain === 'gui' ? 'an' : 'a'} ${what}`,
      fields: {},
      unmanageable: `the label of its ${what} has characters that converge does not accept`,
    }
  const origin = { words: `the ${what} ${label}`, fields: { ...(domain === 'system' ? { domain } : {}), label } }
  if (label.startsWith('homebrew.mxcl.'))
    return {
      ...origin,
      unmanageable: 'it belongs to Homebrew (`brew services`), which would write its property list again',
    }
  if (!job.known) return { ...origin, unmanageable: `its job is unknown (${job.detail ?? job.because})` }
  const unmanageable = obstacleOf({ domain, label }, job.value, process)
  return { ...origin, started: startedBy(job.value), ...(unmanageable === undefined ? {} : { unmanageable }) }
}

/** Why converge cannot manage a loaded job as it is. */
function obstacleOf(name: JobName, { path, pid, arguments: words = [] }: LaunchAgent, process: FoundProcess): string | undefined {
  const { resident, facts } = process
  const { domain, label } = name
  const { job, start } = domainWords[domain]
  if (pid !== null && pid !== resident.pid && pid === resident.ppid)
    return `its ${job} starts ${words[0] ?? 'another program'}, which starts the server`
  if (path === undefined || !path.startsWith('/')) return `a program loaded its ${job} without a property list`
  const expected = facts.layout.known ? plistIn(domain, facts.layout.value, label) : path
  if (path !== expected)
    return `its property list is ${path}, and that of ${domain === 'gui' ? 'an agent of the account' : 'a daemon'} is ${expected}. Move it there and load it again when a restart suits you`
  return isDisabled(name, facts)
    ? `its label is disabled, so no ${start} starts it. First run \`${enableCommand[domain]}/${label}\``
    : undefined
}

const enableCommand: Readonly<Record<LaunchdDomain, string>> = {
  gui: 'launchctl enable gui/$(id -u)',
  system: 'sudo launchctl enable system',
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
