import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { referenceFunctions } from '../../src/fetch/reference-functions.ts'
import { thorough } from '../support/series.ts'

/** Programs and formats write a name in their own ways; it is the same file. */
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'converge-references-'))
  await mkdir(join(folder, '.config/systemd/user'), { recursive: true })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const spellings = [
  ['100%.gguf', 'ExecStart=/usr/bin/llama-server --model /m/100%%.gguf'],
  ['back$dollar.gguf', 'ExecStart=/usr/bin/llama-server --model /m/back$$dollar.gguf'],
  ['q"uote.gguf', String.raw`ExecStart=/usr/bin/llama-server --model "/m/q\"uote.gguf"`],
  ['my model.gguf', String.raw`ExecStart=/usr/bin/llama-server --model /m/my\x20model.gguf`],
  ['my model.gguf', String.raw`exec llama-server --model /m/my\ model.gguf`],
  ["it's.gguf", String.raw`exec llama-server --model '/m/it'\''s.gguf'`],
  ['a&b.gguf', String.raw`{ "model": "/m/a\u0026b.gguf" }`],
  ['a&b.gguf', '<string>/m/a&amp;b.gguf</string>'],
  ['q"uote.gguf', '<string>/m/q&quot;uote.gguf</string>'],
] as const

const shells = ['dash', 'bash', 'busybox']

it.each(shells.slice(1))('under %s, all of them are found in one file', async (shell) => {
  const names = [...new Set(spellings.map(([name]) => name))]
  await writeFile(join(folder, '.config/systemd/user/x.service'), spellings.map(([, text]) => `${text}\n`).join(''))
  const found = await referencesFound(shell, ['other.gguf', ...names])
  expect(found.toSorted()).toEqual(names.map((_, index) => String(index + 2)))
})

it.each(thorough(shells).flatMap((shell) => spellings.map((one) => [shell, ...one] as const)))(
  'under %s, %s is found in %s',
  async (shell, name, text) => {
    await writeFile(join(folder, '.config/systemd/user/x.service'), `${text}\n`)
    const found = await referencesFound(shell, ['other.gguf', name])
    expect(found).toContain('2')
    expect(found).not.toContain('1')
  },
)

/** @returns which of the names are referred to, by their places */
async function referencesFound(shell: string, names: readonly string[]): Promise<readonly string[]> {
  const script = `family=linux\n${referenceFunctions}\nprint_references "$@"`
  const applets = shell === 'busybox' ? ['sh'] : []
  const { stdout } = await execa(shell, [
    ...applets,
    '-c',
    script,
    'x',
    join(folder, 'etc'),
    folder,
    ...names.map((name) => `name=${name}`),
  ])
  const said = stdout.split('\n').filter((line) => line.startsWith('says ') && line.includes(folder))
  return [...new Set(said.map((line) => line.split(' ')[1] ?? ''))]
}
