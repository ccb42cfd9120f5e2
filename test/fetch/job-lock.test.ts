import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readlink, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lifeFunctions } from '../../src/facts/process-life.ts'
import { lockFunctions } from '../../src/fetch/job-lock.ts'
import { thorough } from '../support/series.ts'

const shells = [{ shell: ['dash'] }, { shell: ['bash'] }, { shell: ['busybox', 'sh'] }]
const gone = '99999999.1'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'converge-locks-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const script = `${lifeFunctions}${lockFunctions}
identify || exit 9
claim "$1"
claimed=$?
echo "$claimed"
if [ "$claimed" = 0 ]; then read -r over; release "$1"; fi
`

/** So many at once; who gets it holds it until the others have their answer. */
async function claims(shell: readonly string[], count: number, before = '') {
  const [program = 'sh', ...rest] = shell
  const words = [...rest, '-c', `${before}\n${script}`, 'claim', join(folder, 'lock')]
  const all = Array.from({ length: count }, () => execa(program, words, { stdin: 'pipe' }))
  let left = count
  const answers = all.map(async (one) => {
    if (count === 1) one.stdin.end()
    const { stdout } = await one
    left -= 1
    if (left === 1) for (const { stdin } of all) stdin.end()
    return stdout.trim()
  })
  return (await Promise.all(answers)).toSorted()
}

async function claim(shell: readonly string[], { before = '' } = {}) {
  return (await claims(shell, 1, before))[0]
}

async function ownId(): Promise<string> {
  const { stdout } = await execa('sh', ['-c', `${lockFunctions}\nmachine; echo "$own"`])
  return stdout.trim()
}

it.each(shells.slice(1))(
  'a lock under $shell is held, taken over from the dead, and given back, also without links',
  async ({ shell }) => {
    const lock = join(folder, 'lock')
    const own = await ownId()
    const [id = '', name = '', boot = ''] = own.split(':')
    expect(await claims(shell, 2)).toEqual(['0', '1'])
    await symlink(`${gone}@${id}:${name}:another-boot:`, lock)
    await symlink(`99999998.1@${own}`, `${lock}.taking`)
    expect(await claim(shell)).toBe('0')
    await symlink(`${gone}@0123456789abcdef:${name}:${boot}:`, lock)
    expect(await claim(shell)).toBe('1')
    await rm(lock)
    const before = 'ln() { return 1; }'
    await mkdir(lock)
    await writeFile(join(lock, 'holder'), `${gone}@${own}\n`)
    expect(await claim(shell, { before })).toBe('0')
    expect(existsSync(lock)).toBe(false)
  },
)

describe.each(thorough(shells))('a lock under $shell', ({ shell }) => {
  it('is of one process at a time, and free when it is released', async () => {
    expect(await claims(shell, 2)).toEqual(['0', '1'])
    expect(await claim(shell)).toBe('0')
    expect(existsSync(join(folder, 'lock'))).toBe(false)
  })

  it.each([
    ['has another name by now', (id: string, _name: string, boot: string) => `${id}:studio.lan:${boot}:`],
    ['was restarted since', (id: string, name: string) => `${id}:${name}:another-boot:`],
  ])('that a process of this machine left behind is taken over, although the machine %s', async (_why, words) => {
    const [id = '', name = '', boot = ''] = (await ownId()).split(':')
    await symlink(`${gone}@${words(id, name, boot)}`, join(folder, 'lock'))
    expect(await claim(shell)).toBe('0')
  })

  it.each([
    ['has an id of its own', (_id: string, name: string, boot: string) => `0123456789abcdef:${name}:${boot}:`],
    ['was copied from this one', (id: string) => `${id}:nas:another-boot:`],
  ])('of another machine is held: it %s', async (_why, words) => {
    const [id = '', name = '', boot = ''] = (await ownId()).split(':')
    await symlink(`${gone}@${words(id, name, boot)}`, join(folder, 'lock'))
    expect(await claim(shell)).toBe('1')
    expect(await readlink(join(folder, 'lock'))).toContain(words(id, name, boot))
  })

  it('whose taking over was cut off is taken over', async () => {
    await symlink(`${gone}@${await ownId()}`, join(folder, 'lock'))
    await symlink(`99999998.1@${await ownId()}`, join(folder, 'lock.taking'))
    expect(await claims(shell, 3)).toEqual(['0', '1', '1'])
    expect(existsSync(join(folder, 'lock.taking'))).toBe(false)
  })

  it('that was left behind is taken over by one of many', async () => {
    for (let round = 0; round < 2; round++) {
      // oxlint-disable-next-line no-await-in-loop -- one round after another
      await symlink(`${gone}@${await ownId()}`, join(folder, 'lock'))
      // oxlint-disable-next-line no-await-in-loop -- as above
      expect(await claims(shell, 5)).toEqual(['0', '1', '1', '1', '1'])
    }
  })

  it('is not a foreign folder or file', async () => {
    await mkdir(join(folder, 'lock'))
    expect(await claim(shell)).toBe('1')
    await rm(join(folder, 'lock'), { recursive: true })
    await writeFile(join(folder, 'lock'), '')
    expect(await claim(shell)).toBe('1')
  })

  it('is a folder where there are no links', async () => {
    const before = 'ln() { return 1; }'
    expect(await claims(shell, 2, before)).toEqual(['0', '1'])
    await mkdir(join(folder, 'lock'))
    // Killed before it wrote its name, some minutes ago.
    await utimes(join(folder, 'lock'), 1_700_000_000, 1_700_000_000)
    expect(await claim(shell, { before })).toBe('0')
    await mkdir(join(folder, 'lock'))
    await writeFile(join(folder, 'lock/holder'), `${gone}@${await ownId()}\n`)
    expect(await claim(shell, { before })).toBe('0')
    expect(existsSync(join(folder, 'lock'))).toBe(false)
  })

  it('ignores foreign content', async () => {
    await symlink('\u001B[31m evil\n', join(folder, 'lock'))
    const [program = 'sh', ...rest] = shell
    const { stdout } = await execa(program, [
      ...rest,
      '-c',
      `${lockFunctions}\nholder_of "$1"; echo "$held"`,
      'x',
      join(folder, 'lock'),
    ])
    expect(stdout).toBe('unknown')
  })
})
