import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type LinuxSite, openLinuxBox } from './linux-site.ts'

const unit = '/etc/systemd/system/flagship.service'

/** Adds a webhook to the inventory of a box. */
async function addWebhook(site: LinuxSite, hook: Receiver): Promise<void> {
  await writeFile(join(site.folder, 'hook.url'), `${hook.url}\n`, { mode: 0o600 })
  await site.inventory({ flagship: site.flagship() }, { notify: [{ webhook: { file: 'hook.url' } }] })
}

async function everythingBelow(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((one) => one.isFile() && one.name !== 'hook.url').map((one) => join(one.parentPath, one.name))
  return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n')
}

// One after the other on one box: each leaves it as the inventory has it, but for the last.
describe('a webhook', { timeout: 240_000 }, () => {
  let site: LinuxSite
  beforeAll(async () => {
    site = await openLinuxBox(13_630)
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  it('hears of a drift that lasts three runs once, and once that it is gone; the URL is nowhere', async ({ expect }) => {
    await using hook = await startReceiver()
    await addWebhook(site, hook)
    expect((await site.converge('apply', '-y')).code).toBe(0)
    const calm = await site.converge('drift')
    expect(hook.received, calm.output).toEqual([])

    const path = site.box.path(unit)
    const before = await readFile(path, 'utf8')
    await writeFile(path, before.replace('--ctx 4096', '--ctx 2048'))
    const runs = [await site.converge('drift', '--json'), await site.converge('drift'), await site.converge('drift', '-q')]
    for (const run of runs) expect(run.code, run.output).toBe(2)
    expect(hook.received).toHaveLength(1)
    const first = JSON.parse(hook.received[0]?.body ?? '')
    expect(first).toMatchObject({ schema: 'converge/notification/v1', verb: 'drift', inventory: 'fleet.yaml' })
    expect(first.findings[0]).toMatchObject({ change: 'new', event: 'drift', host: 'box', service: 'flagship' })
    const sent = {
      target: expect.stringContaining('generic webhook'),
      outcome: 'sent',
      changed: 0,
      gone: 0,
      detail: 'answered 200',
    }
    expect(JSON.parse(runs[0]?.stdout ?? '').notifications).toEqual([{ ...sent, new: first.findings.length }])

    await writeFile(path, before.replace('--ctx 4096', '--ctx 1024'))
    await site.converge('drift', '--no-notify')
    expect(hook.received).toHaveLength(1)
    const changed = await site.converge('drift')
    expect(changed.output).toContain('changed')
    expect(hook.received).toHaveLength(2)

    expect((await site.converge('apply', '-y')).code).toBe(0)
    expect(hook.received).toHaveLength(2)
    const gone = await site.converge('drift')
    expect(gone.code, gone.output).toBe(0)
    await site.converge('drift')
    expect(hook.received).toHaveLength(3)
    expect(JSON.parse(hook.received[2]?.body ?? '').summary).toMatchObject({ new: 0, changed: 0, open: 0 })

    const written = await everythingBelow(site.folder)
    for (const text of [written, ...[...runs, changed, gone].map(({ output }) => output)]) {
      expect(text).not.toContain('never-to-be-seen')
      expect(text).not.toContain(new URL(hook.url).host)
    }
    expect(written).toContain('converge/sent-alerts/v1')
  })

  it('gets a refusal by plan and apply once, and its end when the inventory no longer requests it', async ({ expect }) => {
    await using hook = await startReceiver()
    await writeFile(join(site.folder, 'hook.url'), hook.url, { mode: 0o600 })
    const notify = [{ webhook: { file: 'hook.url' }, format: 'slack', on: ['refused', 'failed', 'gone'] }]
    await site.inventory({ flagship: site.flagship() }, { notify })
    expect((await site.converge('apply', '-y')).code).toBe(0)
    expect((await site.converge('verify')).code).toBe(0)
    expect(hook.received).toEqual([])
    await site.inventory({ flagship: site.flagship({ ctx: 8192 }) }, { notify })
    expect((await site.converge('plan')).code).toBe(3)
    expect((await site.converge('apply', '-y')).code).toBe(3)
    expect((await site.converge('drift', '--fail-on', 'none')).code).toBe(0)
    expect(hook.received.map(({ body }) => JSON.parse(body).text)).toEqual([
      expect.stringMatching(/^\*converge: 1 new in fleet\.yaml\*\nnew refused box\/flagship WARM\.RESTART: /),
    ])
    await site.inventory({ flagship: site.flagship() }, { notify })
    await site.converge('apply', '-y')
    expect(hook.received).toHaveLength(2)
    expect(JSON.parse(hook.received[1]?.body ?? '').text).toContain('gone refused box/flagship WARM.RESTART')
  })

  it('gets it later if sending failed; the exit code of the run is the same', async ({ expect }) => {
    await using hook = await startReceiver()
    await addWebhook(site, hook)
    expect((await site.converge('apply', '-y')).code).toBe(0)
    const path = site.box.path(unit)
    await writeFile(path, (await readFile(path, 'utf8')).replace('--ctx 4096', '--ctx 2048'))
    hook.answer({ status: 403 })
    const failed = await site.converge('drift', '--format', `markdown=${join(site.folder, 'drift.md')}`)
    expect(failed.code, failed.output).toBe(2)
    expect(failed.output).toContain('Notification to ')
    expect(await readFile(join(site.folder, 'drift.md'), 'utf8')).toContain('it answered 403')
    hook.answer({ status: 204 })
    await site.converge('drift')
    await site.converge('drift')
    expect(hook.received).toHaveLength(2)
    expect(hook.received[0]?.body.replace(/"(run_id|at)":"[^"]*"/g, '')).toBe(
      hook.received[1]?.body.replace(/"(run_id|at)":"[^"]*"/g, ''),
    )

    const tried = await site.converge('notify', 'test')
    expect(tried.output).toMatch(/^exit 0\n--- stdout\nsent {4}generic webhook \(.*hook\.url\) {2}answered 204$/m)
    hook.answer({ status: 404 })
    const undelivered = await site.converge('notify', 'test')
    expect(undelivered.code).toBe(5)
    expect(`${tried.output}${undelivered.output}`).not.toContain(new URL(hook.url).host)
  })
})
