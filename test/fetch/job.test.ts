import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { lockFunctions } from '../../src/fetch/job-lock.ts'
import { jobScript } from '../../src/fetch/job-script.ts'
import { bytesSent } from '../support/fake-hub/asked.ts'
import { bytesAt } from '../support/fake-hub/content.ts'
import type { FileMood } from '../support/fake-hub/mood.ts'
import { fetchScene, fileNamed, hasty, repo, token } from '../support/fetch-scene.ts'

/** Two pieces. */
const model = { 'coder.gguf': { bytes: 700_000, seed: 'coder' } }
const right = bytesAt(model['coder.gguf'], 0, 700_000)

// On a Mac, /bin/sh may be zsh, which reserves more words.
it.each([['dash'], ['bash', '--posix'], ['busybox', 'sh'], ['zsh', '--emulate', 'sh']])(
  'its script is one for %s',
  async (shell, ...words) => {
    const { stderr } = await execa(shell, [...words, '-n'], { input: jobScript })
    expect(stderr).toBe('')
  },
)

describe('a job on a host', () => {
  it('fetches every file in pieces, proves it by its digest, and leaves nothing else', async () => {
    await using scene = await fetchScene({
      'coder-00001-of-00002.gguf': { bytes: 1_300_000, seed: 'one' },
      'coder-00002-of-00002.gguf': { bytes: 1_000_000, seed: 'two' },
      'with a blank/öl & "quotes".json': '{"small": true}\n',
      'empty.txt': '',
    })
    // A pause is no stall here: no byte is fetched twice.
    expect(await scene.start({ ...hasty, stallS: 60 })).toBe('begun')
    expect(await scene.end()).toBe('done')
    expect(await scene.names()).toEqual([
      'coder-00001-of-00002.gguf',
      'coder-00002-of-00002.gguf',
      'empty.txt',
      'öl & "quotes".json',
    ])
    for (const { path, digest, bytes } of scene.order.files) {
      // oxlint-disable-next-line no-await-in-loop -- four small files
      const content = await readFile(path)
      expect(content.length).toBe(bytes)
      const hash = createHash(digest.kind === 'git' ? 'sha1' : 'sha256')
      if (digest.kind === 'git') hash.update(`blob ${bytes}\0`)
      expect(hash.update(content).digest('hex')).toBe(digest.hex)
    }
    const sent = bytesSent(scene.hub.askedAnywhere, `${repo}/coder-00001-of-00002.gguf`)
    expect(sent).toEqual({ sent: 1_300_000, distinct: 1_300_000 })
  })

  it('shows the token only to the hub', async () => {
    await using scene = await fetchScene(model)
    scene.hub.behaveFor('resolve', { redirect: 'elsewhere' }, {})
    await scene.start()
    expect(await scene.end()).toBe('done')
    const asked = scene.hub.askedAnywhere
    expect(new Set(asked.map(({ server }) => server))).toEqual(new Set(['hub', 'cdn', 'elsewhere']))
    expect(asked.filter(({ server }) => server === 'hub').every((one) => one.authorization === `Bearer ${token}`)).toBe(true)
    expect(asked.filter(({ server, authorization }) => server !== 'hub' && authorization !== undefined)).toEqual([])
    expect(scene.transport.seen.flat().join('\n')).not.toContain(token)
  })

  it.concurrent.each<[string, { resolve?: readonly FileMood[]; cdn?: readonly FileMood[] }]>([
    ['is cut off', { cdn: [{ cut: 150_000 }, { cut: 1 }, {}] }],
    ['stalls', { cdn: [{ hang: 100_000 }, {}] }],
    ['says nothing', { cdn: [{ silent: true }, {}] }],
    ['is too busy', { resolve: [{ busy: { by: 'retry-after', seconds: 2 } }, {}] }],
    ['has no more requests to spare', { resolve: [{ busy: { by: 'ratelimit', seconds: 1 } }, {}] }],
    ['fails', { resolve: [{ status: 500 }, {}], cdn: [{ status: 503 }, {}] }],
    ['has let an address run out', { cdn: [{ status: 403 }, {}] }],
    ['is hidden by a page of a proxy', { resolve: [{ html: 200 }, {}], cdn: [{ html: 206 }, {}] }],
    ['sends another part', { cdn: [{ start: 7 }, {}] }],
    ['sends a wrong byte', { cdn: [{ flip: 1000 }, {}] }],
    ['sends more than was asked', { cdn: [{ longer: 200_000 }, {}] }],
    ['does not end', { cdn: [{ endless: true }, {}] }],
    ['leads in a circle', { resolve: [{ redirect: 'loop' }, {}] }],
    ['wants ranges', { cdn: [{ rangeOnly: true }] }],
  ])('gets the right file from a hub that %s', async (_name, { resolve, cdn }) => {
    await using scene = await fetchScene(model)
    if (resolve !== undefined) scene.hub.behaveFor('resolve', ...resolve)
    if (cdn !== undefined) scene.hub.behaveFor('cdn', ...cdn)
    await scene.start()
    expect(await scene.end()).toBe('done')
    expect((await readFile(fileNamed(scene.order, 'coder.gguf').path)).equals(right)).toBe(true)
    expect(await scene.names()).toEqual(['coder.gguf'])
  })

  it.concurrent.each<[string, string, { resolve?: readonly FileMood[]; cdn?: readonly FileMood[] }]>([
    ['denied', 'does not show the file', { resolve: [{ status: 403 }] }],
    ['denied', 'wants another token', { resolve: [{ status: 401 }] }],
    ['gated', 'wants its terms accepted', { resolve: [{ gated: 'terms' }] }],
    ['denied', 'does not know the token', { resolve: [{ gated: 'token' }] }],
    ['absent', 'has no such file', { resolve: [{ status: 404 }] }],
    ['unreachable', 'never says anything', { resolve: [{ status: 503 }] }],
    ['unreachable', 'leads in a circle', { resolve: [{ redirect: 'loop' }] }],
    ['unreachable', 'leads to an address that is shut', { cdn: [{ status: 403 }] }],
    ['unreadable', 'is hidden by a page of a proxy', { resolve: [{ html: 200 }] }],
    ['unreadable', 'has a shorter file', { cdn: [{ status: 416 }] }],
    ['unreadable', 'has a longer file', { cdn: [{ changed: 'size' }] }],
    ['unreadable', 'ignores ranges', { cdn: [{ whole: true }] }],
    ['unreadable', 'sends other parts', { cdn: [{ start: 7 }] }],
    ['unreadable', 'leads to no address', { resolve: [{ redirect: { location: 'file:///etc/passwd' } }] }],
    ['mismatch', 'has another file there now', { resolve: [{ changed: 'etag' }] }],
    ['mismatch', 'always sends a wrong byte', { cdn: [{ flip: 1000 }] }],
  ])('fails as %s where the hub %s, and gives nothing its name', async (reason, _name, { resolve, cdn }) => {
    await using scene = await fetchScene(model)
    if (resolve !== undefined) scene.hub.behaveFor('resolve', ...resolve)
    if (cdn !== undefined) scene.hub.behaveFor('cdn', ...cdn)
    await scene.start({ ...hasty, stallS: 1, tries: 3 })
    expect(await scene.end()).toBe(`failed ${reason} ${fileNamed(scene.order, 'coder.gguf').path}`)
    expect(await scene.names()).not.toContain('coder.gguf')
    expect(await scene.names()).not.toContain('coder.gguf.lock')
    expect(await scene.log()).not.toContain(token)
  })

  it('continues where it was killed, and fetches only bytes in transit twice', async () => {
    await using scene = await fetchScene(model)
    // Nothing more arrives until it is killed.
    scene.hub.behaveFor('cdn', {}, { hang: 200_000 }, {})
    await scene.start({ ...hasty, stallS: 600 })
    const { part } = fileNamed(scene.order, 'coder.gguf')
    await expect
      .poll(() =>
        readFile(part).then(
          (one) => one.length,
          () => 0,
        ),
      )
      .toBe(400_000)
    expect(scene.kill()).toBe(true)
    expect(await scene.start()).toBe('begun')
    expect(await scene.end()).toBe('done')
    const { sent, distinct } = bytesSent(scene.hub.askedAnywhere, `${repo}/coder.gguf`)
    expect(distinct).toBe(700_000)
    expect(sent - distinct).toBeLessThanOrEqual(400_000)
  })

  it('works once at a time', async () => {
    await using scene = await fetchScene(model)
    scene.hub.behaveFor('cdn', { slow: 2000 })
    expect(await scene.start()).toBe('begun')
    expect(await scene.start()).toBe('busy')
    expect(await scene.stop()).toBe('stopped')
    expect(await scene.state()).toBe('stopped')
    expect(await scene.stop()).toBe('idle')
    scene.hub.behaveFor('cdn', {})
    expect(await scene.start()).toBe('begun')
    expect(await scene.end()).toBe('done')
  })

  it('is begun by one of many starts at a time, and the others say so', async () => {
    await using scene = await fetchScene(model)
    scene.hub.behaveFor('cdn', { slow: 2000 })
    // Some find the lock held, others lose their folder to the job that cleans up.
    const starts = Array.from({ length: 40 }, async (_, index) => {
      await setTimeout(index * 10)
      return scene.start()
    })
    expect((await Promise.all(starts)).toSorted()).toEqual(['begun', ...Array.from({ length: starts.length - 1 }, () => 'busy')])
    expect(await scene.stop()).toBe('stopped')
  })

  it('leaves a file alone that another machine fetches', async () => {
    await using scene = await fetchScene(model)
    await scene.place('other.txt', '')
    await symlink('4711.1@another', `${fileNamed(scene.order, 'coder.gguf').path}.lock`)
    await scene.start()
    expect(await scene.end()).toMatch(/^failed busy /)
    expect(await scene.names()).toEqual(['coder.gguf.lock', 'other.txt'])
  })

  it('removes what a run left that was killed during a takeover, and nothing of a living one', async () => {
    await using scene = await fetchScene(model)
    await scene.place('other.txt', '')
    const { path } = fileNamed(scene.order, 'coder.gguf')
    const { stdout: own } = await execa('sh', ['-c', `${lockFunctions}\nmachine; echo "$own"`])
    await symlink(`99999999.1@${own}`, `${path}.lock.99999998`)
    await symlink('4711.1@another', `${path}.lock.99999997`)
    await scene.start()
    expect(await scene.end()).toBe('done')
    expect(await scene.names()).toEqual(['coder.gguf', 'coder.gguf.lock.99999997', 'other.txt'])
  })

  it('accepts an existing file unchanged, once its digest is known', async () => {
    await using scene = await fetchScene(model)
    await scene.place('coder.gguf', right)
    for (let count = 0; count < 2; count++) {
      // oxlint-disable-next-line no-await-in-loop -- the second remembers
      await scene.start()
      // oxlint-disable-next-line no-await-in-loop -- as above
      expect(await scene.end()).toBe('done')
    }
    expect(scene.hub.askedAnywhere).toEqual([])
    expect((await scene.log()).match(/hashes/g)).toHaveLength(1)
  })

  it('marks the folder of a model until it is complete', async () => {
    await using scene = await fetchScene(
      { 'a/one.safetensors': { bytes: 500_000, seed: 'a' }, 'two.safetensors': { bytes: 500_000, seed: 'b' } },
      { isFolder: true },
    )
    scene.hub.behaveFor('cdn', {}, {}, { status: 416 }, {})
    await scene.start()
    expect(await scene.end()).toMatch(/^failed unreadable /)
    expect(await scene.names()).toEqual(['converge.part', 'one.safetensors'])
    await scene.start()
    expect(await scene.end()).toBe('done')
    expect(await scene.names()).toEqual(['one.safetensors', 'two.safetensors'])
  })

  it('makes no folder where a volume is not mounted', async () => {
    await using scene = await fetchScene(model, { folder: '/media/converge-missing/models' })
    await scene.start()
    expect(await scene.end()).toBe('failed unwritable /media/converge-missing/models/coder.gguf')
    expect(await scene.log()).toContain('mount its volume')
    expect(existsSync('/media/converge-missing')).toBe(false)
  })

  it('writes through no link that lies where a partial file belongs', async () => {
    await using scene = await fetchScene(model)
    await scene.place('precious', 'mine')
    const { path, part } = fileNamed(scene.order, 'coder.gguf')
    const precious = join(dirname(path), 'precious')
    await symlink(precious, part)
    await symlink(precious, `${part.replace(/part$/, '')}piece-0`)
    await scene.start()
    expect(await scene.end()).toBe('done')
    expect(await readFile(precious, 'utf8')).toBe('mine')
    expect((await readFile(path)).equals(right)).toBe(true)
  })

  it('never replaces a file, and fetches the others', async () => {
    await using scene = await fetchScene({ 'a.gguf': { bytes: 500_000, seed: 'a' }, 'b.gguf': { bytes: 500_000, seed: 'b' } })
    await scene.place('a.gguf', 'mine')
    await scene.start()
    expect(await scene.end()).toBe(`failed other ${fileNamed(scene.order, 'a.gguf').path}`)
    expect(await scene.names()).toEqual(['a.gguf', 'b.gguf'])
    expect(await readFile(fileNamed(scene.order, 'a.gguf').path, 'utf8')).toBe('mine')
  })
})
