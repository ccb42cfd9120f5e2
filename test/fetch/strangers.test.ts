import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { busyboxFolder } from '../support/busybox-folder.ts'
import { bytesAt } from '../support/fake-hub/content.ts'
import { type FetchScene, fetchScene, fileNamed, hasty } from '../support/fetch-scene.ts'

/** Who else may write into the folder of a model, and what fails on the host, decide about no file but their own. */
const model = { 'coder.gguf': { bytes: 700_000, seed: 'coder' } }
const right = bytesAt(model['coder.gguf'], 0, 700_000)

let folders: readonly string[] = []
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

/** A folder with programs that are found before those of the machine. */
async function programs(all: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'converge-programs-'))
  folders = [...folders, folder]
  for (const [name, text] of Object.entries(all)) {
    // oxlint-disable-next-line no-await-in-loop -- a few small files
    await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`)
    // oxlint-disable-next-line no-await-in-loop -- as above
    await chmod(join(folder, name), 0o755)
  }
  return `${folder}:/usr/bin:/bin`
}

async function precious(scene: FetchScene): Promise<string> {
  const file = join(scene.transport.folder, 'precious')
  await writeFile(file, 'mine')
  return file
}

describe('a foreign link where a job writes', () => {
  it.each([
    ['the probe of the disk', 'coder.gguf.DIGEST.part.probe'],
    ['the partial file', 'coder.gguf.DIGEST.part'],
    ['a piece', 'coder.gguf.DIGEST.piece-0'],
  ])('is not followed: %s', async (_what, name) => {
    await using scene = await fetchScene(model)
    const own = await precious(scene)
    const { part } = fileNamed(scene.order, 'coder.gguf')
    await scene.place('other.txt', '')
    await symlink(own, join(part, '..', name.replace('DIGEST', part.slice(-13, -5))))
    scene.hub.behaveFor('cdn', { status: 500 }, {})
    await scene.start()
    expect(await scene.end()).toBe('done')
    expect(await readFile(own, 'utf8')).toBe('mine')
  })

  it('makes no file: the mark of a folder', async () => {
    await using scene = await fetchScene({ 'a.safetensors': { bytes: 300_000, seed: 'a' } }, { isFolder: true })
    const made = join(scene.transport.folder, 'made')
    await scene.place('other.txt', '')
    await symlink(made, join(scene.order.model, 'converge.part'))
    await scene.start()
    expect(await scene.end()).toBe('done')
    expect(existsSync(made)).toBe(false)
  })

  it('is not followed by BusyBox: the file that its wget writes', async () => {
    await using busybox = await busyboxFolder()
    await using scene = await fetchScene(model, { path: busybox.path })
    const own = await precious(scene)
    const { part } = fileNamed(scene.order, 'coder.gguf')
    await scene.place('other.txt', '')
    await symlink(own, `${part}.rest`)
    await scene.start()
    expect(await scene.end()).toBe('done')
    expect(await readFile(own, 'utf8')).toBe('mine')
  })
})

it.each(['part', 'piece-0'])('a folder that is called like a %s is not downloaded into', async (end) => {
  await using scene = await fetchScene(model)
  const { path, part } = fileNamed(scene.order, 'coder.gguf')
  await mkdir(`${path}.${part.slice(-13, -5)}.${end}`, { recursive: true })
  await scene.start()
  expect(await scene.end()).toMatch(/^failed unwritable /)
  expect(scene.hub.askedAnywhere).toEqual([])
})

describe('a digest that cannot be taken', () => {
  const count = 'n=$(cat "${0%/*}/n" 2>/dev/null || echo 0); echo $((n + 1)) >"${0%/*}/n"'

  it('is taken once more, and nothing is fetched again', async () => {
    const path = await programs({ openssl: `${count}; if [ "$n" -lt 2 ]; then kill -s KILL $$; fi; exec /usr/bin/openssl "$@"` })
    await using scene = await fetchScene(model, { path, token: true })
    await scene.start()
    expect(await scene.end()).toBe('done')
    expect((await readFile(fileNamed(scene.order, 'coder.gguf').path)).equals(right)).toBe(true)
    expect((await scene.log()).match(/hashes/g)).toHaveLength(3)
  })

  it.each([
    ['fails', 'exit 1'],
    ['says nothing', 'cat >/dev/null'],
  ])('keeps what has arrived where what takes it %s', async (_how, text) => {
    await using scene = await fetchScene(model, { path: await programs({ openssl: text }), token: true })
    await scene.start()
    const { path, part } = fileNamed(scene.order, 'coder.gguf')
    expect(await scene.end()).toBe(`failed unread ${path}`)
    expect((await readFile(part)).equals(right)).toBe(true)
    expect(existsSync(path)).toBe(false)
  })

  it('accepts an existing file', async () => {
    await using scene = await fetchScene(model, { path: await programs({ openssl: 'exit 1' }), token: true })
    await scene.place('coder.gguf', right)
    await scene.start()
    expect(await scene.end()).toMatch(/^failed unread /)
  })

  it('is not that of a file which changed meanwhile', async () => {
    const path = await programs({ openssl: '' })
    await using scene = await fetchScene(model, { path, token: true })
    const file = fileNamed(scene.order, 'coder.gguf').path
    await scene.place('coder.gguf', right)
    // What takes the digest changes the file that it read.
    const openssl = join(path.split(':')[0] ?? '', 'openssl')
    await writeFile(openssl, `#!/bin/sh\n/usr/bin/openssl "$@"; ended=$?; sleep 1; touch "${file}"; exit $ended\n`)
    await scene.start()
    expect(await scene.end()).toMatch(/^failed unread /)
  })
})

it('remembers what it hashed, although the file got a second name for a moment', async () => {
  const path = await programs({ ln: 'sleep 1.1; exec /bin/ln "$@"', rm: 'sleep 0.4; exec /bin/rm "$@"' })
  await using scene = await fetchScene(model, { path, token: true })
  await scene.start()
  expect(await scene.end()).toBe('done')
  await scene.start(hasty)
  expect(await scene.end()).toBe('done')
  expect((await scene.log()).match(/hashes/g)).toHaveLength(1)
})

it('hands no variable of the login on that is called token', async () => {
  const path = await programs({ curl: 'env >"${0%/*}/env"; exec /usr/bin/curl "$@"' })
  await using scene = await fetchScene(model, { path, token: true })
  const env = join(path.split(':')[0] ?? '', 'env')
  process.env['token'] = 'of the login'
  try {
    await scene.start()
    expect(await scene.end()).toBe('done')
  } finally {
    delete process.env['token']
  }
  expect(await readFile(env, 'utf8')).not.toMatch(/^token=/m)
})
