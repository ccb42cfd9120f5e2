import type { Refusal } from '../model/refusal.ts'
import type { Paint } from './paint.ts'
import { renderRefusal } from './refusal-text.ts'

/**
 * Warnings block nothing, so all warnings of one code share a line with the names of their services. A warning about the host itself is shown
 * in full; with `verbose` each one is.
 */
export function renderWarnings(
  warnings: readonly Refusal[],
  options: { readonly paint: Paint; readonly verbose: boolean },
): readonly string[] {
  const { paint, verbose } = options
  const inFull = warnings.filter((warning) => verbose || warning.service === undefined)
  const short = warnings.filter((warning) => !inFull.includes(warning))
  const byCode = Map.groupBy(short, (warning) => warning.code)
  return [
    ...inFull.map((warning) => renderRefusal(warning, 'warning', paint)),
    ...[...byCode.values()].map((group) => renderGroup(group, paint)),
  ]
}

function renderGroup(group: readonly Refusal[], paint: Paint): string {
  const [first] = group
  if (first === undefined) return ''
  const names = [...new Set(group.map((warning) => warning.service))].join(', ')
  return `${paint(['yellow'], `! ${paint.hang}warning`)} ${paint(['bold'], names)}  ${paint(['yellow'], first.code)}  ${first.summary}`
}
