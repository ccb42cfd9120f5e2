import { serverKinds } from '../../servers/index.ts'
import type { Rule } from '../rule.ts'

export const adoptNeedsRestart: Rule = {
  code: 'ADOPT.NEEDS_RESTART',
  severity: 'refuse',
  title: 'The server can only be taken over by a restart.',
  explain:
    'The service describes a server that already runs, but no supervisor runs it: it was started by hand, or with `docker run`. converge can only ' +
    'take it over by ending it and starting it again from a definition. If the new server fails, converge cannot bring the old one back. ' +
    'Approve the restart (`--allow`) when an interruption is acceptable. Until then the server is left alone.',
  consentable: true,
  checkAction({ action, service, host }) {
    if (action.ends === undefined) return []
    const { pid, container } = action.ends
    const what = container === undefined ? `process ${pid}` : `container ${container.slice(0, 12)} (pid ${pid})`
    const warm = serverKinds[service.kind].restart === 'costly' ? ' Its cache is lost.' : ''
    return [
      {
        why: `${service.name} on ${host.name} is ${what}, which no supervisor runs. Taking it over ends it and starts it again under ${service.manager}.${warm}`,
        evidence: [`${what} listens on port ${service.port} with the model ${service.model.path}`],
        next: [`Stop it yourself on ${host.name} when it suits you, then apply.`],
      },
    ]
  },
}
