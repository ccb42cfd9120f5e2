/** What came of telling somebody. `detail` is a few words for people, without the address; `ok: false`: nobody knows that it arrived. */
export interface Delivered {
  readonly ok: boolean
  readonly detail: string
}

export function failed(detail: string): Delivered {
  return { ok: false, detail }
}
