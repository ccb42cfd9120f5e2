import type { Service } from '../../model/fleet.ts'
import type { SmokeRequest } from '../../model/launch.ts'
import type { RequestKind, SmokeKind } from '../../model/names.ts'
import { spelling, truths } from './settings.ts'

/** What the smoke test asks a server; undefined: nothing. */
export function requestOf(service: Service, prefix: string): SmokeRequest | undefined {
  const kind = service.smoke ?? answeredBy(service)
  if (kind === 'none') return undefined
  const { path, body } = requests[kind]
  return { kind, path: `${prefix}${path}`, body: { model: service.alias, ...body }, timeoutS: service.completionTimeoutS }
}

/**
 * With these flags a server exists for one purpose. Without them it answers that request with 501; with them, some builds answer a chat with 501
 * and others answer it (tested with build 11669).
 */
function answeredBy({ extraArgs, extraEnv }: Service): SmokeKind {
  const isOn = (flags: readonly string[], variable: string) =>
    extraArgs.some((arg) => flags.includes(spelling(arg))) || truths.get(extraEnv[variable] ?? '') === true
  // It ranks also if it is restricted to embeddings as well.
  if (isOn(['--reranking', '--rerank'], 'LLAMA_ARG_RERANKING')) return 'rerank'
  return isOn(['--embeddings', '--embedding'], 'LLAMA_ARG_EMBEDDINGS') ? 'embedding' : 'chat'
}

const requests: Readonly<Record<RequestKind, Pick<SmokeRequest, 'path' | 'body'>>> = {
  chat: {
    path: '/v1/chat/completions',
    body: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1, stream: false },
  },
  embedding: { path: '/v1/embeddings', body: { input: ['Hi'] } },
  rerank: { path: '/v1/rerank', body: { query: 'Hi', documents: ['Hello', 'Goodbye'] } },
}
