/** The outcome of a delivery. `detail` is a few words for people, without the address; `ok: false`: delivery is not confirmed. */
export interface Delivered {
  readonly ok: boolean
  readonly detail: string
}

export function failed(detail: string): Delivered {
  return { ok: false, detail }
}
