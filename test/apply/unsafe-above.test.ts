import { chmod, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { safeFolderFunctions } from '../../src/managers/safe-folder-script.ts'

let top = ''
beforeAll(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'converge-folders-')))
  await Promise.all(['closed/ a  b /c', 'open/below', '-n/x'].map((path) => mkdir(join(top, path), { recursive: true })))
  await chmod(join(top, 'open'), 0o777)
  await symlink('open/below', join(top, 'link'))
})
afterAll(() => rm(top, { recursive: true, force: true }))

describe.each([[['dash']], [['bash']], [['busybox', 'sh']]])(
  'what %s says of the folders above a file',
  ([shell = '', ...rest]) => {
    const unsafeAbove = async (path: string) => {
      const script = `${safeFolderFunctions}answer=$(unsafe_above "$1"); printf '%s %s' "$?" "$answer"`
      const { stdout } = await execa(shell, [...rest, '-c', script, 'sh', path])
      return stdout.replace(top, 'TOP')
    }

    it.each([
      ['closed/ a  b /c', '1 '],
      ['-n/x/missing', '1 '],
      ['open/below/missing/too', '0 drwxrwxrwx 0 TOP/open'],
      ['link/missing', '0 drwxrwxrwx 0 TOP/open'],
    ])('%s', async (path, answer) => {
      expect(await unsafeAbove(join(top, path))).toBe(answer)
    })

    it('nothing of a path that is not absolute', async () => {
      expect(await unsafeAbove('etc')).toBe('1 ')
    })
  },
)
