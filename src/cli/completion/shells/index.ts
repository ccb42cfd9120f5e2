import { bash } from './bash.ts'
import { fish } from './fish.ts'
import type { Shell } from './shell.ts'
import { zsh } from './zsh.ts'

/** The shells that converge completes in. */
export const shells: Readonly<Record<string, Shell>> = { bash, zsh, fish }
