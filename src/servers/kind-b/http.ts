import type { HttpDialect, ServerLoad } from '../http-dialect.ts'
import { field } from '../json-fields.ts'

/** From observed answers. It reads no request while it loads. */
export const http: HttpDialect = {
  answersWhileLoading: false,
  keyPath: '/v1/models',
  requests: { read: (health) => schedulerOf(health)?.busy, load: loadOf },
  completed: (health) => schedulerOf(health)?.completed,
}

/** Requests running and waiting, and chats completed since the start: only for clients with the key. */
function schedulerOf(health: unknown): { readonly busy: number; readonly completed: number } | undefined {
  const scheduler = field(health, 'scheduler')
  const [active, queued, completed] = ['active', 'queued', 'completed'].map((name) => field(scheduler, name))
  if (typeof active !== 'number' || typeof queued !== 'number' || typeof completed !== 'number') return undefined
  return { busy: active + queued, completed }
}

/** It does not report tokens. */
function loadOf(health: unknown): ServerLoad | undefined {
  const busy = schedulerOf(health)?.busy
  const slots = field(field(health, 'scheduler'), 'capacity')
  return busy === undefined || typeof slots !== 'number' ? undefined : { busy, slots }
}
