import type { HostOverview, Overview, ServiceOverview, Tone } from '../model/overview.ts'

/** One JSON object a line, for `jq` and log collectors: the run, its issues, each host, its models from hubs, each service with what belongs to it. */
export function renderNdjson(overview: Overview): string {
  const { hosts, issues, ...run } = overview
  const lines: readonly object[] = [
    { type: 'run', ...withFourTones(run) },
    ...issues.map((issue) => ({ type: 'issue', ...issue })),
    ...hosts.flatMap(linesOf),
  ]
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

function linesOf({ services, fetches = [], ...host }: HostOverview): readonly object[] {
  const models = fetches.map((one) => ({ type: 'fetch', host: host.host, ...one }))
  return [{ type: 'host', ...withFourTones(host) }, ...models, ...services.flatMap((service) => serviceLines(host.host, service))]
}

function serviceLines(host: string, { actions, findings, smoke, ...rest }: ServiceOverview): readonly object[] {
  const about = { host, service: rest.service }
  return [
    { type: 'service', host, ...withFourTones(rest) },
    ...actions.map((action) => ({ type: 'action', ...about, ...action })),
    ...findings.map((finding) => ({ type: 'finding', ...about, ...finding })),
    ...(smoke === undefined ? [] : [{ type: 'smoke', ...about, ok: smoke.ok, checks: smoke.checks }]),
  ]
}

/** Programs know `good`, `pending`, `doubt` and `bad`; the findings say why. */
function withFourTones<T extends { readonly tone: Tone }>(one: T): T {
  return one.tone === 'blocked' || one.tone === 'foreign' ? { ...one, tone: 'bad' } : one
}
