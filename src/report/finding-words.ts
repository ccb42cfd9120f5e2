import type { Finding } from '../model/overview.ts'

/** A finding in one sentence, its values included: `PORT.TAKEN: …`, `running.ctx_size: inventory 4096, last applied 4096, on the host 2048`. */
export function sentence({ code, why, values }: Finding): string {
  if (values === undefined) return `${code}: ${why}`
  const compared = `${code}: inventory ${shown(values.wanted)}, last applied ${shown(values.applied)}, on the host ${shown(values.here)}`
  return why === '' ? compared : `${compared} (${why})`
}

export function shown(value: string | null): string {
  return value ?? '(none)'
}
