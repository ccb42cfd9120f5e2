import { readSurvey, surveyScript } from '../adopt/survey.ts'
import { complaint } from '../facts/fact.ts'
import { defined } from '../lib/defined.ts'
import type { Resident } from '../model/facts.ts'
import type { Observed } from '../model/observed.ts'
import type { SurveyedProcess } from '../model/survey.ts'
import { ReadOnlyScript } from '../transports/read-only-script.ts'
import type { HostView } from '../transports/transport.ts'

/** Asks a host where processes come from, in one command. Throws `ConvergeError` if the connection fails. */
export async function surveyHost(
  view: HostView,
  processes: readonly Pick<Resident, 'pid' | 'ppid'>[],
  { signal, timeoutMs }: { readonly signal?: AbortSignal; readonly timeoutMs: number },
): Promise<Observed<readonly SurveyedProcess[]>> {
  const args = processes.map(({ pid, ppid }) => `${pid}:${ppid}`)
  const script = { label: 'find the supervisors of the servers', text: [surveyScript], args, elevate: true, timeoutMs }
  const { exitCode, stdout, stderr } = await view.look(ReadOnlyScript.vouchedFor(script), defined({ signal }))
  const pids = processes.map(({ pid }) => pid)
  return exitCode === 0 ? readSurvey(stdout, pids) : complaint({ status: exitCode ?? 1, stderr })
}
