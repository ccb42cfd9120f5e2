import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { version } from '../../src/context/version.ts'
import { type GitHubJob, openGitHubJob } from '../support/github-action.ts'
import { releaseDouble } from '../support/release-double.ts'
import { type LinuxSite, openLinuxBox } from './linux-site.ts'

describe('the action for GitHub, run as a runner does', { timeout: 120_000 }, () => {
  let site: LinuxSite
  let job: GitHubJob
  beforeAll(async () => {
    site = await openLinuxBox(13_585)
    job = await openGitHubJob()
  }, 60_000)
  afterAll(async () => {
    await job?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  const run = (more: Readonly<Record<string, string>> = {}) => {
    const inputs = { inventory: join(site.folder, 'fleet.yaml'), arguments: `--ssh-config\n${site.sshConfig}\n` }
    return job.run({ ...inputs, reports: join(site.folder, 'out put'), ...more }, site.env)
  }

  it('leaves every report, a summary and one comment, and changes that are pending are no failure', async ({ expect }) => {
    await site.inventory({ flagship: site.flagship() })
    const { code, log, summary, outputs } = await run()
    expect(code, log).toBe(0)
    expect(outputs).toEqual({ 'exit-code': '2', reports: join(site.folder, 'out put') })
    for (const name of ['summary.md', 'plan.json', 'junit.xml', 'plan.sarif', 'plan.html'])
      expect(existsSync(join(site.folder, 'out put', name)), name).toBe(true)
    expect(summary).toBe(await readFile(join(site.folder, 'out put/summary.md'), 'utf8'))
    expect(summary).toContain('flagship')
    expect(job.comments).toMatchObject([{ body: expect.stringContaining(summary) }])
    expect(existsSync(site.box.path('/etc/systemd/system/flagship.service'))).toBe(false)
  })

  it('updates its comment the next time; refusals fail the job and are in the comment', async ({ expect }) => {
    await site.inventory({ flagship: site.flagship({ ram_gb: 500 }) })
    const { code, log, outputs } = await run()
    expect(code, log).toBe(3)
    expect(outputs['exit-code']).toBe('3')
    expect(job.comments).toMatchObject([{ body: expect.stringContaining('MEMORY.INSUFFICIENT') }])
    expect(log).toContain('::error')
  })

  it('has a comment of its own for another look, finds it behind a hundred others, and looks for drift too', async ({
    expect,
  }) => {
    for (let n = 0; n < 150; n += 1) job.comments.splice(1, 0, { id: 1000 + n, user: stranger, body: 'looks good' })
    const first = await run({ verb: 'drift', limit: 'box' })
    expect([0, 2], first.log).toContain(Number(first.outputs['exit-code']))
    await run({ verb: 'drift', limit: 'box' })
    const own = job.comments.filter(({ body }) => body.includes('### converge drift'))
    expect(own).toHaveLength(1)
    marked = own[0]?.body ?? ''
    expect(existsSync(join(site.folder, 'out put/drift.json'))).toBe(true)
  })

  /** A comment of a drift of the box. */
  let marked = ''
  const stranger = { id: 7, login: 'stranger', type: 'User' } as const

  it.for(['t0ken', 'per5on', '4pp'])(
    'leaves the comment of another account with its marker alone: token %s',
    async (token, { expect }) => {
      // What is found does not matter here, and a host that refuses the connection has it sooner.
      await site.inventory({ flagship: site.flagship() }, {}, { ansible_port: 1 })
      const inputs = { limit: 'box', token, verb: 'drift' }
      expect(marked).toContain('<!-- converge ["drift"')
      const forged = { id: 500, user: stranger, body: marked }
      job.comments.splice(0, Infinity, { ...forged })
      await run(inputs)
      const own = { ...job.comments[1] }
      await run(inputs)
      expect(job.comments).toEqual([forged, { ...own, id: 2, body: expect.stringContaining('### converge drift') }])
    },
  )

  it('cuts a summary that is too long for a comment between two lines, and closes its code block', async ({ expect }) => {
    job.comments.length = 0
    const env = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`NOTE_${n}`, 'x'.repeat(40)]))
    await site.inventory({ flagship: site.flagship({ env }) })
    // The report has a limit of its own; what is in the title comes on top.
    const { summary, log } = await run({ limit: `box${',box'.repeat(3000)}` })
    expect(summary.length, log).toBeGreaterThan(45_000)
    const { body = '' } = job.comments[0] ?? {}
    expect(body.length).toBeLessThan(65_536)
    expect(body).toMatch(/\n```\n\nThis is too long for a comment\. The summary of the step has the rest\.\n$/)
    expect(body.match(/^```/gm)?.length).toSatisfy((fences: number) => fences % 2 === 0)
    await site.inventory({ flagship: site.flagship() })
  })

  it('reports its findings even if no comment can be written', async ({ expect }) => {
    job.refusals.push(403)
    const { code, log, summary } = await run({ verb: 'drift' })
    expect(code, log).toBe(0)
    expect(log).toContain('::warning::converge: no comment was written')
    expect(summary).not.toBe('')
  })

  it('runs no command that a pull request names, unless the workflow says so', async ({ expect }) => {
    const ran = join(site.folder, 'ran')
    const api_key = { command: ['sh', '-c', `touch '${ran}'; echo k3y/etc/of-the-box`] }
    await site.inventory({ flagship: site.flagship({ api_key }) })
    const closed = await run()
    expect(closed.code, closed.log).toBe(3)
    expect(closed.summary).toContain('KEY.MISSING')
    expect(existsSync(ran)).toBe(false)
    const trusted = await run({ 'secret-commands': 'true' })
    expect(trusted.code, trusted.log).toBe(0)
    expect(existsSync(ran)).toBe(true)
  })

  it('gives no password of the job to a host that a pull request names', async ({ expect }) => {
    await site.inventory({ flagship: site.flagship() }, {}, { ansible_become_password: { env: 'FLAGSHIP_KEY' } })
    const { code, log, summary } = await run()
    expect(code, log).toBe(4)
    expect(summary).toContain('SECRET.NOT_ASKED')
    expect(log).toContain('environment variable FLAGSHIP_KEY')
  })

  it('says what is wrong with an inventory that is not valid, and does nothing that is no look', async ({ expect }) => {
    const invalid = await run({ inventory: join(site.folder, 'nowhere.yaml') })
    expect(invalid.code, invalid.log).not.toBe(0)
    const apply = await run({ verb: 'apply' })
    expect(apply.code, apply.log).toBe(64)
    expect(apply.log).toContain('plan or drift')
    const drift = await run({ verb: 'drift', playbook: 'play.yaml' })
    expect(drift.code, drift.log).toBe(64)
    expect(drift.log).toContain('::error::converge: drift takes no playbook.')
  })

  /** Where nothing may be written. */
  const outside = join(tmpdir(), `outside-${process.pid}`)
  afterAll(() => rm(outside, { recursive: true, force: true }))

  /** As a pull request could bring them along, if the action looked for a program or its settings beside the files. */
  async function writeTraps(): Promise<string> {
    const sprung = join(site.folder, 'sprung')
    const trap = `#!/bin/sh\ntouch '${sprung}'\n`
    for (const place of ['node_modules/.bin', 'action', 'packaging', 'dist', 'bin'])
      await mkdir(join(job.folder, place), { recursive: true })
    const programs = ['node', 'npm', 'npx', 'converge', 'tar', 'sh'].map((name) => `node_modules/.bin/${name}`)
    for (const file of [...programs, 'converge', 'node', 'bin/converge', 'action/install', 'packaging/install.sh'])
      await writeFile(join(job.folder, file), trap, { mode: 0o755 })
    await writeFile(join(job.folder, 'package.json'), '{ "version": "6.6.6", "scripts": { "preinstall": "./converge" } }')
    await writeFile(join(job.folder, '.npmrc'), 'registry=http://127.0.0.1:9/\nscript-shell=./converge\n')
    await writeFile(join(job.folder, 'dist/main.js'), `require('node:fs').writeFileSync('${sprung}', '')`)
    await mkdir(outside, { recursive: true })
    for (const name of ['converge-reports', 'linked']) {
      await rm(join(job.folder, name), { force: true })
      await symlink(outside, join(job.folder, name))
    }
    return sprung
  }

  it('installs the release that it belongs to, and runs nothing of the workspace or of what another step left where it would install', async ({
    expect,
  }) => {
    const sprung = await writeTraps()
    await site.inventory({ flagship: site.flagship() })
    job.temporary.set(`converge-${version}/bin/converge`, `#!/bin/sh\ntouch '${sprung}'\necho ${version}\n`)
    const { code, log, outputs } = await run({ reports: '' })
    job.temporary.clear()
    expect(code, log).toBe(0)
    expect(log).toContain(`converge ${version}, from http`)
    expect(existsSync(sprung)).toBe(false)
    expect(outputs['reports']).toMatch(/\/temp-\w+\/converge-reports-\w+$/)
    expect(await readdir(outputs['reports'] ?? '')).toContain('plan.json')
    expect(await readdir(outside)).toEqual([])
  })

  it.for(['linked', 'linked/new', 'bin/../linked/.', 'ABSOLUTE/linked/new/er', 'gone/below'])(
    'writes no reports through a link of the workspace: %s',
    async (given, { expect }) => {
      await writeTraps()
      await symlink(join(outside, 'nowhere'), join(job.folder, 'gone')).catch(() => undefined)
      const { code, log } = await run({ reports: given.replace('ABSOLUTE', job.folder) })
      expect(code, log).toBe(64)
      expect(log).toContain('::error::converge: the folder for reports leads through a link of the workspace')
      expect(await readdir(outside)).toEqual([])
    },
  )

  it('builds its own sources where that is asked for, and writes reports into any other folder of the workspace', async ({
    expect,
  }) => {
    const { code, log, outputs } = await run({ version: 'checkout', reports: './bin/../reports of/ci' })
    expect(code, log).toBe(0)
    expect(log).not.toContain(', from http')
    expect(outputs['reports']).toBe(await realpath(join(job.folder, 'reports of/ci')))
    expect(existsSync(join(job.folder, 'reports of/ci/plan.json'))).toBe(true)
  })

  it.for([
    ['a version that is none', 'latest; touch x', /::error::converge: the version must be one such as \d.*"latest; touch x"/],
    ['a version that is not there', '9.9.9', /SHA256SUMS failed/],
    ['an archive with another version in it', version, /::error::converge: .* has version 9\.9\.9, and not/],
    ['an archive that was changed', version, /is not the file that SHA256SUMS names/],
  ] as const)('refuses %s, and starts nothing', async ([what, wanted, says], { expect }) => {
    const served = new Map(job.release)
    const double = await releaseDouble(version, what.includes('another') ? '9.9.9' : version)
    if (wanted === '9.9.9') job.release.clear()
    else for (const [name, file] of double) job.release.set(name, file)
    if (what.includes('changed')) job.release.set('SHA256SUMS', Buffer.from(`${'0'.repeat(64)}  ${[...double.keys()][1]}\n`))
    const { code, log, outputs } = await run({ version: wanted })
    job.release.clear()
    for (const [name, file] of served) job.release.set(name, file)
    expect(code, log).not.toBe(0)
    expect(log).toMatch(says)
    expect(outputs['exit-code']).toBe('')
  })
})
