import type { ServerKindName } from '../model/names.ts'
import { kindA } from './kind-a/kind-a.ts'
import { kindB } from './kind-b/kind-b.ts'
import type { ServerKind } from './server-kind.ts'

/** Every server kind by name. */
export const serverKinds: Readonly<Record<ServerKindName, ServerKind>> = { A: kindA, B: kindB }
