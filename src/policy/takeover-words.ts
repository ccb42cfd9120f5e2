import { nameIn } from '../managers/one-by-setting.ts'
import type { Takeover } from '../managers/takeover.ts'
import type { FieldChange } from '../model/action.ts'

/** Why a definition cannot be taken over as it is. */
export interface TakeoverReason {
  readonly code: 'ADOPT.DIFFERS' | 'ADOPT.STALE_FILE' | 'ADOPT.INEXPRESSIBLE'
  readonly change: FieldChange
  /** A sentence. */
  readonly why: string
}

/** All reasons; empty: it can be. */
export function takeoverReasons({ differs, stale, lost }: Takeover): readonly TakeoverReason[] {
  return [
    ...differs.map((change) => ({ code: 'ADOPT.DIFFERS' as const, change, why: differsWords(change) })),
    ...stale.map((change) => ({ code: 'ADOPT.STALE_FILE' as const, change, why: staleWords(change) })),
    ...lost.map((change) => ({
      code: 'ADOPT.INEXPRESSIBLE' as const,
      change,
      why: `The inventory cannot express ${nameIn(change)} ${change.from ?? ''}.`,
    })),
  ]
}

function differsWords(change: FieldChange): string {
  if (change.field === 'running.key')
    return `The running server does not have the API key of the inventory${change.from === null ? '' : `, but ${change.from}`}.`
  if (change.field === 'starts_at_boot') return 'It does not start at boot, as the service would.'
  return `The running server has ${valuesOf(change, 'the inventory')}.`
}

function staleWords(change: FieldChange): string {
  if (change.field === 'definition.loaded') return 'The supervisor has not read the definition since it changed.'
  return `Its definition has ${valuesOf(change, 'the running server')}.`
}

function valuesOf(change: FieldChange, other: string): string {
  const name = nameIn(change)
    .replace(/^(command|environment)\./, '')
    .replace(/^\d+$/, 'the program')
  return `${name} ${valueWords(change.from)}, ${other} ${valueWords(change.to)}`
}

/** A value of a definition. A flag may have none. */
export function valueWords(value: string | null): string {
  return value === null ? '(none)' : value === '' ? '(set)' : value
}
