import { counted } from '../lib/counted.ts'
import { defined } from '../lib/defined.ts'
import type { Refusal } from '../model/refusal.ts'
import { indent } from './indent.ts'
import type { Paint } from './paint.ts'
import { renderRefusal } from './refusal-text.ts'
import { renderWarnings } from './warnings-text.ts'

/** What `converge validate --json` prints. Hosts without findings are left out. */
export interface ValidationDocument {
  readonly schema: 'converge/validation/v1'
  readonly inventory: string
  readonly summary: {
    readonly hosts: number
    readonly services: number
    readonly plays?: number
    readonly refusals: number
    readonly warnings: number
  }
  readonly hosts: readonly HostFindings[]
}

interface HostFindings {
  readonly host: string
  readonly refusals: readonly Refusal[]
  readonly warnings: readonly Refusal[]
}

export function validationDocument(input: {
  readonly inventory: string
  readonly hosts: number
  readonly services: number
  readonly plays?: number
  readonly verdicts: readonly HostFindings[]
}): ValidationDocument {
  const { inventory, hosts, services, plays, verdicts } = input
  const count = (pick: (one: HostFindings) => readonly Refusal[]) => verdicts.reduce((sum, one) => sum + pick(one).length, 0)
  return {
    schema: 'converge/validation/v1',
    inventory,
    summary: {
      hosts,
      services,
      ...defined({ plays }),
      refusals: count((one) => one.refusals),
      warnings: count((one) => one.warnings),
    },
    hosts: verdicts.filter((one) => one.refusals.length + one.warnings.length > 0),
  }
}

/** All findings in full, and a verdict. */
export function renderValidation(
  document: ValidationDocument,
  { paint, verbose }: { readonly paint: Paint; readonly verbose: boolean },
): string {
  const { hosts, services, plays, refusals, warnings } = document.summary
  const blocks = document.hosts.map((host) =>
    [
      paint(['bold'], host.host),
      ...host.refusals.map((one) => indent(renderRefusal(one, 'refused', paint))),
      ...renderWarnings(host.warnings, { paint, verbose }).map((text) => indent(text)),
    ].join('\n'),
  )
  const what = [
    counted(hosts, 'host'),
    counted(services, 'service'),
    ...(plays === undefined ? [] : [counted(plays, 'play')]),
  ].join(', ')
  const verdict = refusals === 0 ? paint(['green'], 'valid') : paint(['bold', 'red'], `${refusals} refused`)
  const doubts = warnings === 0 ? '' : `, ${paint(['yellow'], counted(warnings, 'warning'))}`
  const hint = warnings > 0 && !verbose ? paint(['dim'], ' More about warnings: -v') : ''
  return `${[...blocks, `${document.inventory}: ${verdict}${doubts} (${what}). No host was contacted.${hint}`].join('\n\n')}\n`
}
