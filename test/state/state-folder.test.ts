import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStateFolder, stateFolder } from '../../src/state/state-folder.ts'

describe('the folder for what runs leave behind', () => {
  let place: string
  beforeEach(async () => {
    place = await mkdtemp(join(tmpdir(), 'state-'))
  })
  afterEach(() => rm(place, { recursive: true }))

  const open = (folder: string) => openStateFolder({ env: { CONVERGE_STATE_DIR: folder }, cwd: place }, 'runs')

  it('is made for its owner alone', async () => {
    const folder = await open(join(place, 'a/b'))
    expect(folder).toBe(join(place, 'a/b/runs'))
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  })

  it('counts from where converge was called', () => {
    expect(stateFolder({ env: { CONVERGE_STATE_DIR: 'state' }, cwd: place })).toBe(join(place, 'state'))
  })

  it('is in the place that the system has for it', () => {
    expect(stateFolder({ env: {}, cwd: place })).toMatch(/converge$/)
  })

  it('is not used where others may write', async () => {
    await mkdir(join(place, 'open'))
    await chmod(join(place, 'open'), 0o777)
    await expect(open(join(place, 'open'))).rejects.toMatchObject({ code: 'STATE.UNUSABLE' })
  })

  it('is not used through a link or where a file is in its way', async () => {
    await mkdir(join(place, 'there'))
    await symlink(join(place, 'there'), join(place, 'link'))
    await writeFile(join(place, 'file'), '')
    await expect(open(join(place, 'link'))).rejects.toMatchObject({ code: 'STATE.UNUSABLE' })
    await expect(open(join(place, 'file'))).rejects.toMatchObject({ code: 'STATE.UNUSABLE' })
  })
})
