import { expect, test } from 'vitest'
import { namesCompared } from './names-compared.ts'
import { sourceFile } from './source-file.ts'

const found = (code: string) => namesCompared([sourceFile('src/x.ts', code)], ['A', 'B'], 'serverKinds')

test.each([
  "if (service.kind === 'A') return",
  "if ('B' !== kind) return",
  "switch (kind) {\n  case 'A':\n}",
  'const health = serverKinds.B.smoke(service)',
  "const faults = [{ pattern: /,/, kind: 'A' }]",
  'const script = `if [ "$2" = A ]; then`',
])('%j asks for a name', (code) => expect(found(code)).toHaveLength(1))

test.each(['const kinds = { A: kindA }', "if (letter === 'C') return", 'serverKinds[kind].smoke(service)', "// kind === 'A'"])(
  '%j does not',
  (code) => expect(found(code)).toEqual([]),
)
