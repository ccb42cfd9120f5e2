import { expect, test } from 'vitest'
import { fatalRedirections } from './redirections.ts'
import { sourceFile } from './source-file.ts'

const found = (script: string) => fatalRedirections([sourceFile('src/x.ts', `export const script = \`${script}\``)])

test.each([
  ': >"$1" || return 1',
  'cd /\n  : >"$1" || { echo no; exit 1; }',
  '{ exec 3<"$1" && echo yes; }',
  'if ! : >>"$1"; then exit 1; fi',
  'true; : <"$1" || exit',
  '. "$1" 2>"$2" || exit',
])('%j in a script ends it', (script) => expect(found(script)).toHaveLength(1))

test.each([
  'true >"$1" || return 1',
  '(: >"$1") || return 1',
  ': >/dev/null || exit',
  'rm "$1" 2>&1 || :',
  'exec >>"$1" 2>&1 </dev/null',
  'sync "$1" >/dev/null 2>&1 || :',
  'a || return 0; cat >"$1" || exit',
])('%j in a script does not', (script) => expect(found(script)).toEqual([]))

test('code that compares is no script', () => {
  expect(fatalRedirections([sourceFile('src/x.ts', 'export const a = (b: C) => b.x > 1 || b.y')])).toEqual([])
})
