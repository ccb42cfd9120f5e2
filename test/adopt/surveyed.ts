import { readSurvey } from '../../src/adopt/survey.ts'
import type { HostFacts, Resident } from '../../src/model/facts.ts'
import type { LaunchAgent } from '../../src/model/launchd-fact.ts'
import type { SurveyedProcess } from '../../src/model/survey.ts'

/** What a host answers about the origin of one process of a unit that sets these variables. */
export function surveyedUnit({ pid }: Resident, env: Readonly<Record<string, string>>): SurveyedProcess | undefined {
  const lines = Object.entries(env).map(([name, value]) => (value === '***' ? `k ${name}` : `e ${name}=${value}`))
  return surveyed(pid, ['g /system.slice/one.service', 'v', ...lines])
}

/** The same of an agent, as `launchctl print` shows its loaded job. */
export function surveyedAgent({ pid }: Resident, { launchd }: HostFacts, label: string): SurveyedProcess | undefined {
  const agent = launchd.known ? launchd.value.agents[label] : undefined
  return agent === undefined ? undefined : surveyed(pid, [`l ${label}`, ...jobText(agent).map((line) => `|${line}`)])
}

function jobText({ label, state, path, pid, arguments: words = [], environment = {} }: LaunchAgent): readonly string[] {
  const variables = Object.entries({ ...environment, XPC_SERVICE_NAME: label })
  return [
    `gui/501/${label} = {`,
    `\tpath = ${path}`,
    `\tstate = ${state}`,
    '\targuments = {',
    ...words.map((word) => `\t\t${word}`),
    '\t}',
    '\tenvironment = {',
    ...variables.map(([name, value]) => `\t\t${name}${value === '***' ? ' =***' : ` => ${value}`}`),
    '\t}',
    `\tpid = ${pid}`,
    '}',
  ]
}

function surveyed(pid: number, lines: readonly string[]): SurveyedProcess | undefined {
  const survey = readSurvey([`pid ${pid}`, ...lines, 'end', ''].join('\n'), [pid])
  if (!survey.known) throw new Error(`${survey.detail}: ${lines.join('\n')}`)
  return survey.value[0]
}
