import { defined } from '../lib/defined.ts'
import type { Secret } from '../model/secret.ts'
import { serverKinds } from '../servers/index.ts'
import type { HostView } from '../transports/transport.ts'
import type { HttpQuestion } from './http-facts.ts'
import { type HttpReply, httpTo } from './http-probe.ts'

/** A server's current requests. */
export type Busy =
  | { readonly kind: 'idle' }
  /** `requests` absent: healthy but too busy to report the number. */
  | { readonly kind: 'busy'; readonly requests?: number }
  /** Its port is open but it does not answer: a Kind B that loads, or works without answering. */
  | { readonly kind: 'silent' }
  /** It does not run, it loads, or it does not report it. */
  | { readonly kind: 'unreported' }

const unreported: Busy = { kind: 'unreported' }

/**
 * Only asks for requests; `httpFacts` asks for that and more. A busy Kind A still answers that it is healthy, and reports its slots between
 * two batches of tokens: if only the second answer is missing, it works. Throws only if the connection to the host breaks. A loading Kind A
 * says so; one that is silent at its open port has all its threads busy.
 */
export async function busyNow(view: HostView, question: Question): Promise<Busy> {
  const first = await busyWith(view, question, question.key)
  if (first !== 'another key' || question.otherKeys === undefined) return first === 'another key' ? unreported : first
  for (const key of await question.otherKeys()) {
    const answer = await busyWith(view, question, key)
    if (answer !== 'another key') return answer
  }
  return unreported
}

type Question = Omit<HttpQuestion, 'service'>

async function busyWith(view: HostView, question: Question, key: Secret | undefined): Promise<Busy | 'another key'> {
  const { port, kind, signal, timeoutMs } = question
  const http = httpTo(view, port)
  const optional = { ...defined({ key, signal }), timeoutMs }
  const health = await http({ path: '/health', ...optional })
  const { answersWhileLoading, requests } = serverKinds[kind].http
  if (isSilent(health, signal)) return { kind: answersWhileLoading ? 'busy' : 'silent' }
  if (!isGood(health)) return unreported
  if (requests.path === undefined) {
    const busy = requests.read(health.json)
    return busy === undefined ? 'another key' : counted(busy)
  }
  const reply = await http({ path: requests.path, ...optional })
  if (isSilent(reply, signal)) return { kind: 'busy' }
  if (reply.kind === 'answered' && [401, 403].includes(reply.status)) return 'another key'
  return isGood(reply) ? counted(requests.read(reply.json)) : unreported
}

/** An interrupted request did not wait for the answer. */
function isSilent({ kind }: HttpReply, signal: AbortSignal | undefined): boolean {
  return kind === 'silent' && signal?.aborted !== true
}

function isGood(reply: HttpReply): reply is Extract<HttpReply, { readonly kind: 'answered' }> {
  return reply.kind === 'answered' && reply.status === 200
}

function counted(requests: number | undefined): Busy {
  if (requests === undefined) return unreported
  return requests === 0 ? { kind: 'idle' } : { kind: 'busy', requests }
}
