import type { Topic } from './topic.ts'

export interface TopicEntry {
  /** The title of its page. */
  readonly title: string
  /** Its line in `converge --help`. */
  readonly summary: string
  readonly load: () => Promise<{ readonly topic: Topic }>
}

/** What `converge help` explains beside the verbs, in the order of `converge --help`. */
export const topics: Readonly<Record<string, TopicEntry>> = {
  patterns: {
    title: 'Host patterns',
    summary: 'select hosts by name, group or last result',
    load: () => import('./patterns.ts'),
  },
  approvals: {
    title: 'Approvals',
    summary: 'overrule a refusal, once or in a playbook',
    load: () => import('./approvals.ts'),
  },
  secrets: {
    title: 'Secrets',
    summary: 'tell converge where to find keys and passwords',
    load: () => import('./secrets.ts'),
  },
  'exit-codes': {
    title: 'Exit codes',
    summary: 'read how a command ended, in scripts and CI',
    load: () => import('./exit-codes.ts'),
  },
}
