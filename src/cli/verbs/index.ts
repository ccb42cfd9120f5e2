import type { Verb } from '../verb.ts'

export interface VerbEntry {
  readonly summary: string
  /** Loaded only when it is called, so that the others cost nothing. */
  readonly load: () => Promise<{ readonly verb: Verb }>
}

/** Every verb, in the order of `converge --help`. */
export const verbs: Readonly<Record<string, VerbEntry>> = {
  validate: { summary: 'check inventory and playbook alone; no host is contacted', load: () => import('./validate.ts') },
  hosts: { summary: 'which hosts a pattern selects', load: () => import('./hosts.ts') },
  facts: { summary: 'what is seen on the hosts', load: () => import('./facts.ts') },
  plan: { summary: 'what would be done, and what is refused and why', load: () => import('./plan.ts') },
  apply: { summary: 'do it, step by step, and prove that it works', load: () => import('./apply.ts') },
  resume: { summary: 'go on with a run that did not come to its end', load: () => import('./resume.ts') },
  verify: { summary: 'smoke tests alone: does every server really answer', load: () => import('./verify.ts') },
  status: { summary: 'one line per service: state, port, pid, warmth, health', load: () => import('./status.ts') },
  drift: { summary: 'what changed since the last apply: in the inventory, on a host', load: () => import('./drift.ts') },
  notify: { summary: 'try whether who is told of changes can be told', load: () => import('./notify.ts') },
  schedule: { summary: 'have a verb that only looks run at intervals on this machine', load: () => import('./schedule.ts') },
  history: { summary: 'which runs there were on this machine, and how they ended', load: () => import('./history.ts') },
  report: { summary: 'an earlier run once more, or several as one, in any format', load: () => import('./report.ts') },
  unlock: { summary: 'take away a lock that a run left on a host', load: () => import('./unlock.ts') },
  explain: { summary: 'what a refusal or error code means and what to do', load: () => import('./explain.ts') },
  pin: { summary: 'write the commits of models into the inventory, as their hub has them', load: () => import('./pin.ts') },
  fetch: { summary: 'models from their hubs onto the hosts; status, stop, log', load: () => import('./fetch.ts') },
  prune: { summary: 'remove fetched files that nothing refers to any more', load: () => import('./prune.ts') },
  render: { summary: 'the definition file as it would be written', load: () => import('./render.ts') },
  demo: { summary: 'a tour on a simulated fleet; nothing of yours is touched', load: () => import('./demo.ts') },
}
