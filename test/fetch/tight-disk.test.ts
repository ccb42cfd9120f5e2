import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fetchScene, hasty } from '../support/fetch-scene.ts'

const mib = 1024 ** 2
const bytes = 6 * mib

describe('a disk with little to spare', () => {
  let programs: string
  beforeAll(async () => {
    programs = await mkdtemp(join(tmpdir(), 'converge-df-'))
  })
  afterAll(() => rm(programs, { recursive: true }))

  /** Sizes of what a job asked for at a time where `df` says this; it is allowed 4 MiB. */
  async function pieces(said: string): Promise<readonly number[]> {
    const df = join(programs, 'df')
    await writeFile(df, `#!/bin/sh\necho 'Filesystem 1024-blocks Used Available Capacity Mounted on'\n${said}\n`)
    await chmod(df, 0o755)
    await using scene = await fetchScene({ 'coder.gguf': { bytes, seed: 'tight' } }, { path: `${programs}:/usr/bin:/bin` })
    await scene.start({ ...hasty, stallS: 60, pieceBytes: 4 * mib })
    expect(await scene.end()).toBe('done')
    const ranges = scene.hub.askedAnywhere.filter(({ server }) => server === 'cdn').map(({ range }) => range ?? '')
    return ranges.map((range) => {
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? []
      return Number(last) - Number(first) + 1
    })
  }

  it('is asked to hold no more twice than it can', async () => {
    expect(await pieces(`echo '//ada@nas/my 4 models 9 9 ${(bytes + 2 * mib) / 1024} 50% /srv/my 5 models'`)).toEqual([
      2 * mib,
      // It says the same at every look, although there is less to come each time.
      4 * mib,
    ])
  })

  it('is tried even without room to spare', async () => {
    expect(await pieces(`echo '/dev/sda1 9 9 ${bytes / 2048} 99% /'`)).toEqual([mib, mib, mib, mib, mib, mib])
  })

  it.each([['echo nonsense'], ['exit 1'], [`echo 'overlay - - - - /'`], [`echo '/dev/sda1 9 9 ${10 * mib} 1% /'`]])(
    'is not thought of where it is not known, or large: %s',
    async (said) => {
      expect(await pieces(said)).toEqual([4 * mib, 2 * mib])
    },
  )
})
