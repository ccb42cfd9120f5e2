import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lookAtFetch } from '../../src/fetch/look-at-fetch.ts'
import type { FetchFact } from '../../src/model/fetch.ts'
import type { ServerKindName } from '../../src/model/names.ts'
import type { Observed } from '../../src/model/observed.ts'
import { thorough } from '../support/series.ts'
import { shTransport } from '../support/sh-transport.ts'
import { startOf } from '../support/start-of.ts'

const shells: readonly (readonly string[])[] = [['dash'], ['bash'], ['busybox', 'sh']]
const gone = '99999999 1'
const about = JSON.stringify({ repo: 'org/coder', commit: 'c'.repeat(40), model: '/m', services: ['coder'] })
const sha = (letter: string) => letter.repeat(64)

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'converge-fetches-'))
  await chmod(folder, 0o755)
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})
const at = (name: string) => join(folder, name)

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    // oxlint-disable-next-line no-await-in-loop -- a few small files
    await mkdir(dirname(at(name)), { recursive: true })
    // oxlint-disable-next-line no-await-in-loop -- as above
    await writeFile(at(name), content)
  }
}

/** A job's folder; what is `undefined` in it is not there. */
async function writeJob(files: Readonly<Record<string, string | undefined>>): Promise<void> {
  const whole = { state: 'done\n', process: `${gone}\n`, about: `${about}\n`, files: wanted('/m/a.gguf'), digests: '', ...files }
  const all = Object.entries(whole).flatMap(([name, content]) =>
    content === undefined ? [] : [[`etc/fetch/id/${name}`, content]],
  )
  await write(Object.fromEntries(all))
}

function wanted(...paths: readonly string[]): string {
  return paths.map((path) => `5\tsha256\t${sha('a')}\thttps://hub/a\t${path}\n`).join('')
}

async function look(shell: readonly string[], kind: ServerKindName, model: string): Promise<Observed<FetchFact>> {
  await using host = await shTransport(shell)
  await chmod(host.folder, 0o755)
  return await lookAtFetch(host, { root: at('etc'), id: 'id', kind, model }, new AbortController().signal)
}

async function names(shell: readonly string[], kind: ServerKindName, model: string): Promise<readonly string[]> {
  const fact = await look(shell, kind, at(model))
  if (!fact.known) throw new Error(fact.detail ?? fact.because)
  return fact.value.files.map(({ path, bytes }) => `${path.slice(folder.length + 1)} ${bytes}`).toSorted()
}

describe.each(thorough(shells).map((shell) => ({ shell, called: shell.join(' ') })))(
  'what $called reports of a model',
  ({ shell }) => {
    it('sees one file, and the parts of it that arrive', async () => {
      await write({
        'm/q 4 "ö\'$x`.gguf': 'model',
        'm/q 4 "ö\'$x`.gguf.0123abcd.part': 'par',
        'm/q 4 "ö\'$x`.gguf.0123abcd.piece-3': 'p',
        'm/q 4 "ö\'$x`.gguf.lock': '',
        'm/other.gguf': 'other',
      })
      expect(await names(shell, 'A', 'm/q 4 "ö\'$x`.gguf')).toEqual([
        'm/q 4 "ö\'$x`.gguf 5',
        'm/q 4 "ö\'$x`.gguf.0123abcd.part 3',
        'm/q 4 "ö\'$x`.gguf.0123abcd.piece-3 1',
      ])
    })

    it('sees all parts of a model that was split, whichever is named', async () => {
      await write({
        'm/[q]*-00001-of-00002.gguf': 'one',
        'm/[q]*-00002-of-00002.gguf.0123abcd.part': 'tw',
        'm/[q]*-00002-of-00003.gguf': 'of another',
        'm/qq-00001-of-00002.gguf': 'of another',
      })
      expect(await names(shell, 'A', 'm/[q]*-00001-of-00002.gguf')).toEqual([
        'm/[q]*-00001-of-00002.gguf 3',
        'm/[q]*-00002-of-00002.gguf.0123abcd.part 2',
      ])
    })

    it('sees a folder with its folders, follows links to files, and leaves folders with a dot out', async () => {
      await write({
        'm/config.json': '{}',
        'm/.gitattributes': 'lf',
        'm/sub folder/ü "x".safetensors': 'weights',
        'm/.cache/huggingface/x': 'x',
        'elsewhere/blob': 'blob',
      })
      await symlink(at('elsewhere/blob'), at('m/linked'))
      await symlink(at('nowhere'), at('m/dangling'))
      expect(await names(shell, 'B', 'm')).toEqual([
        'm/.gitattributes 2',
        'm/config.json 2',
        'm/linked 4',
        'm/sub folder/ü "x".safetensors 7',
      ])
    })

    it('reports a missing folder as missing, and another kind of file as unknown', async () => {
      expect(await look(shell, 'B', at('m'))).toEqual({
        known: true,
        value: { files: [], tools: expect.any(Array), digests: [], job: null },
      })
      expect(await look(shell, 'A', at('m/a.gguf'))).toEqual({
        known: true,
        value: { files: [], tools: expect.any(Array), digests: [], job: null },
      })
      await write({ m: 'a file' })
      expect(await look(shell, 'B', at('m'))).toMatchObject({ known: false, because: 'unreadable' })
    })

    it('does not know a model with a name that does not fit in a line', async () => {
      await write({ 'm/a\nb.json': 'x' })
      expect(await look(shell, 'B', at('m'))).toMatchObject({ known: false, because: 'unreadable' })
      await rm(at('m'), { recursive: true })
      // What is behind the line break reads as a file of its own.
      await write({ 'm/a\nfile 5 1 1 1 ./forged.json': 'x', 'm/b\nfile 5 1 1 1 ./x/forged.json': 'x' })
      expect(await look(shell, 'B', at('m'))).toMatchObject({ known: false, because: 'unreadable' })
      await write({ 'n/a.gguf': 'x', 'n/a.gguf.01234567.part\n': 'x' })
      expect(await look(shell, 'A', at('n/a.gguf'))).toMatchObject({ known: false, because: 'unreadable' })
    })

    it('knows nothing where a folder may not be read', async () => {
      await write({ 'm/a.json': 'x', 'm/sub/b.json': 'x', 'shut/a.gguf': 'x' })
      await writeJob({})
      await chmod(at('m/sub'), 0)
      await chmod(at('shut'), 0)
      const unprivileged =
        process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', ...shell] : shell
      // oxlint-disable-next-line no-await-in-loop -- four looks
      for (const [kind, model] of [
        ['B', 'm'],
        ['B', 'shut'],
        ['A', 'shut/a.gguf'],
        ['B', 'shut/below'],
      ] as const)
        expect(await look(unprivileged, kind, at(model))).toMatchObject({ known: false, because: 'not-permitted' })
      await chmod(at('m/sub'), 0o755)
      expect(await look(unprivileged, 'B', at('m'))).toMatchObject({ known: true })
      await chmod(at('etc/fetch/id'), 0)
      expect(await look(unprivileged, 'B', at('m'))).toMatchObject({ known: false, because: 'not-permitted' })
      // oxlint-disable-next-line no-await-in-loop -- so that they can be removed
      for (const name of ['m/sub', 'shut', 'etc/fetch/id']) await chmod(at(name), 0o755)
    })

    it.each<[string, Readonly<Record<string, string | undefined>>, unknown]>([
      ['done', {}, { state: 'done', alive: false }],
      ['stopped', { state: 'stopped\n' }, { state: 'stopped', alive: false }],
      ['at work once, and killed', { state: 'working /m/a b.gguf\n' }, { state: 'working', alive: false, path: '/m/a b.gguf' }],
      ['killed before its first file', { state: 'working\n' }, { state: 'working', alive: false }],
      ['failed at a file', { state: 'failed full /m/a b.gguf\n' }, { state: 'failed', reason: 'full', path: '/m/a b.gguf' }],
      ['failed before any file', { state: 'failed tools \n' }, { state: 'failed', reason: 'tools' }],
      ['whose process is unknown', { process: undefined }, { state: 'done', alive: false }],
      ['whose process was half written', { state: 'working\n', process: '99999999' }, { alive: false }],
      ['whose process was written without its start', { state: 'working\n', process: '99999999 ' }, { alive: false }],
    ])('sees a job that is %s', async (_name, files, job) => {
      await writeJob(files)
      expect(await look(shell, 'B', at('m'))).toMatchObject({
        known: true,
        value: {
          job: expect.objectContaining({
            repo: 'org/coder',
            commit: 'c'.repeat(40),
            files: [{ path: '/m/a.gguf', bytes: 5, digest: { kind: 'sha256', hex: sha('a') } }],
            ...(job as object),
          }),
        },
      })
    })

    it('sees a job that works, and how far its hashing is', async () => {
      await write({ big: 'x'.repeat(1000) })
      await using host = await shTransport(shell)
      const script = {
        label: 'a job',
        args: [folder],
        elevate: false,
        timeoutMs: 20_000,
        text: [`(sed 's/.*) //' "/proc/self/stat" >/dev/null; read -r line; exec sleep 60) <"$1/big" >/dev/null 2>&1 & echo $!`],
      }
      const pid = Number((await host.exec(script)).stdout)
      await writeJob({ state: 'working /m/a.gguf\n', process: `${pid} ${startOf(pid)}\n`, hashing: `${pid} /m/a.gguf\n` })
      // It reads beside the look.
      await expect
        .poll(() => look(shell, 'B', at('m')))
        .toMatchObject({ known: true, value: { job: { alive: true, path: '/m/a.gguf', hashed: 1000 } } })
      process.kill(pid, 'SIGKILL')
    })

    it.each<[string, Readonly<Record<string, string | undefined>>]>([
      ['an unknown state', { state: 'resting\n' }],
      ['an empty state', { state: '' }],
      ['an unknown reason', { state: 'failed whim /m/a\n' }],
      ['no JSON', { about: '{"repo":' }],
      ['no subject', { about: '{}' }],
      ['no list of files', { files: undefined }],
      ['an empty list of files', { files: '' }],
      ['a list that was cut off', { files: wanted('/m/a.gguf', '/m/b.gguf').slice(0, -50) }],
    ])('reports files and digests, and no job, if the record of a finished one has %s', async (_name, files) => {
      await write({ 'm/a.gguf': '12345' })
      await writeJob({ digests: `sha256 ${sha('a')} 5 1 2 3 ${at('m/a.gguf')}\n`, ...files })
      expect(await look(shell, 'B', at('m'))).toMatchObject({
        known: true,
        value: { files: [{ bytes: 5 }], digests: [{ bytes: 5 }], job: null, damaged: true },
      })
    })

    it('counts as running if it ends while its files are read', async () => {
      const real = execFileSync('sh', ['-c', 'command -v stat'], { encoding: 'utf8' }).trim()
      await write({
        'm/a.gguf.0123abcd.part': 'par',
        'tools/stat': `#!/bin/sh\necho done >'${at('etc/fetch/id/state')}'\nexec ${real} "$@"\n`,
      })
      await chmod(at('tools/stat'), 0o755)
      await writeJob({ state: 'working /m/a.gguf\n', process: `${process.pid} ${startOf(process.pid)}\n` })
      const fact = await look(['env', `PATH=${at('tools')}:${process.env['PATH']}`, ...shell], 'A', at('m/a.gguf'))
      expect(fact).toMatchObject({ known: true, value: { job: { state: 'working', alive: true } } })
    })

    it('knows nothing where the record of one that works makes no sense', async () => {
      await writeJob({ state: '', process: `${process.pid} ${startOf(process.pid)}\n` })
      expect(await look(shell, 'B', at('m'))).toMatchObject({ known: false })
    })

    it.each(['m/.cache/huggingface/download', '.cache/huggingface/download/m'])(
      'reports what the tool of the hub recorded of the files of a model, in %s',
      async (kept) => {
        await write({
          'm/a-00001-of-00002.gguf': '12345',
          'm/a-00002-of-00002.gguf': '123',
          [`${kept}/a-00001-of-00002.gguf.metadata`]: `${'c'.repeat(40)}\n${sha('a')}\n1790000000.5\n`,
          [`${kept}/a-00002-of-00002.gguf.metadata`]: `${'c'.repeat(40)}\n"odd"\n`,
          [`${kept}/b.gguf.metadata`]: `${'c'.repeat(40)}\n${sha('b')}\n1\n`,
        })
        const fact = await look(shell, 'A', at('m/a-00001-of-00002.gguf'))
        expect(fact).toMatchObject({
          known: true,
          value: { listed: [{ path: at('m/a-00001-of-00002.gguf'), commit: 'c'.repeat(40), sha256: sha('a') }] },
        })
        expect(await look(shell, 'A', at('m/c.gguf'))).toMatchObject({ known: true, value: { files: [], job: null } })
      },
    )

    it('reports the tools for fetching and hashing', async () => {
      const fact = await look(shell, 'A', at('m/a.gguf'))
      expect(fact).toMatchObject({ known: true, value: { tools: expect.arrayContaining(['curl', 'openssl', 'sha256sum']) } })
    })

    it('reads no more of a record than a job writes, and no pipe', async () => {
      await writeJob({ state: `done${' '.repeat(20_000_000)}\n`, about: `${about}\n${'x'.repeat(20_000_000)}` })
      execFileSync('mkfifo', [at('etc/fetch/id/hashing')])
      expect(await look(shell, 'B', at('m'))).toMatchObject({ known: true })
    })

    it('has no job where its folder came to be and nothing more', async () => {
      await writeJob({ state: undefined, files: undefined })
      expect(await look(shell, 'B', at('m'))).toMatchObject({ known: true, value: { job: null } })
    })

    it('takes the last digest of a file, and none that was half written', async () => {
      const line = (letter: string, path: string) => `sha256 ${sha(letter)} 5 7 8 9 ${path}\n`
      await writeJob({ digests: `${line('a', '/m/a b')}${line('b', '/m/a b')}${line('c', '/m/c').slice(0, 40)}` })
      const fact = await look(shell, 'B', at('m'))
      expect(fact).toMatchObject({
        value: { digests: [{ path: '/m/a b', bytes: 5, inode: '7', modified: 8, changed: 9, digest: { hex: sha('b') } }] },
      })
    })

    it('looks through no folder of more than 5,000 files', async () => {
      await mkdir(at('m'))
      await Promise.all(Array.from({ length: 5001 }, (_, index) => writeFile(at(`m/${index}`), '')))
      expect(await look(shell, 'B', at('m'))).toMatchObject({ known: false, detail: expect.stringContaining('more than 5000') })
      await rm(at('m/17'))
      const fact = await look(shell, 'B', at('m'))
      expect(fact.known && fact.value.files.length).toBe(5000)
    })
  },
)
