import type { ServerKindName } from '../model/names.ts'
import { kindA } from './kind-a.ts'
import { kindB } from './kind-b.ts'
import type { ServerKind } from './server-kind.ts'

/** Every server kind by its name. */
export const serverKinds = { A: kindA, B: kindB } as const satisfies Record<ServerKindName, ServerKind>
