import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { referenceFunctions } from '../../src/fetch/reference-functions.ts'

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

it.each(['dash', 'bash', 'busybox'].flatMap((shell) => spellings.map((one) => [shell, ...one] as const)))(
  'under %s, %s is found in %s',
  async (shell, name, text) => {
    await writeFile(join(folder, '.config/systemd/user/x.service'), `${text}\n`)
    const script = `family=linux\n${referenceFunctions}\ntell_references "$@"`
    const applets = shell === 'busybox' ? ['sh'] : []
    const args = [...applets, '-c', script, 'x', join(folder, 'etc'), folder, 'name=other.gguf', `name=${name}`]
    const { stdout } = await execa(shell, args)
    const said = stdout.split('\n').filter((line) => line.startsWith('says ') && line.includes(folder))
    expect(said.map((line) => line.split(' ')[1])).toContain('2')
    expect(said.map((line) => line.split(' ')[1])).not.toContain('1')
  },
)
