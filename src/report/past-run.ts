import { isObject } from '../lib/json-object.ts'
import type { KeptRun } from '../model/kept-run.ts'
import type { PastRun } from '../model/past-run.ts'
import { requestIn } from '../model/report.ts'

/** The numbers of a run. */
export function pastRunOf({ overview, document, run_id, at, services: globs = [] }: KeptRun): PastRun {
  const { verb, hosts } = overview
  const levels = hosts.flatMap(({ services }) => services.flatMap(({ findings }) => findings.map(({ level }) => level)))
  const answers = hosts.flatMap(({ host, services }) =>
    services.flatMap(({ service, smoke }) => {
      const answer = requestIn(smoke?.checks ?? [])
      return answer?.ok === true && answer.skipped === undefined ? [[`${host}/${service}`, answer.ms] as const] : []
    }),
  )
  return {
    runId: run_id,
    verb,
    at,
    hosts: hosts.map(({ host }) => host),
    services: globs,
    fromFacts: isObject(document) && document['facts_from'] !== undefined,
    unreachable: hosts.filter(({ reachable }) => !reachable).length,
    findings: Object.fromEntries([...Map.groupBy(levels, (level) => level)].map(([level, of]) => [level, of.length])),
    answerMs: Object.fromEntries(answers),
  }
}
