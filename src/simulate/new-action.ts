import { defined } from '../lib/defined.ts'
import type { Action, ActionKind, EndedServer, FieldChange, Preconditions, Risk } from '../model/action.ts'
import type { ServerKindName } from '../model/names.ts'
import { restartsCheaply } from '../servers/traits.ts'
import { downtimeOf } from './downtime.ts'
import { newerImage } from './newer-image.ts'
import { seenParts } from './seen-parts.ts'
import type { ServiceCase } from './service-case.ts'

export interface ActionDetails {
  readonly kind: ActionKind
  readonly reason: string
  readonly changes?: readonly FieldChange[]
  readonly diff?: string
  readonly interrupts?: boolean
  readonly starts?: boolean
  readonly note?: string
  readonly reliesOn?: Preconditions
  readonly ends?: EndedServer
}

/** One decision about one service; risk and downtime follow from its effect on a running server. */
export function newAction(subject: ServiceCase, details: ActionDetails): Action {
  const { host, service, facts } = subject
  const { kind, interrupts = false, starts = false } = details
  const bootId = facts.platform.known ? facts.platform.value.bootId : undefined
  return {
    id: `${host.name}/${service.name}/${kind}`,
    host: host.name,
    service: service.name,
    kind,
    manager: service.manager,
    risk: riskOf(kind, interrupts, service.kind),
    reason: details.reason,
    changes: details.changes ?? [],
    ...defined({ diff: details.diff }),
    ...downtimeOf(subject, { kind, interrupts, starts, ...defined({ reliesOn: details.reliesOn }) }),
    interrupts,
    starts,
    ...defined({ note: details.note, ends: details.ends, pulls: interrupts && starts ? newerImage(subject)?.pulls : undefined }),
    relies_on: kind === 'noop' ? {} : { ...details.reliesOn, ...defined({ boot_id: bootId }), ...seenParts(subject, { starts }) },
  }
}

function riskOf(kind: ActionKind, interrupts: boolean, server: ServerKindName): Risk {
  if (kind === 'noop') return 'none'
  if (kind === 'remove') return 'destructive'
  if (!interrupts) return 'safe'
  return restartsCheaply(server) ? 'disruptive' : 'costly'
}
