import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, type ExpectStatic, it } from 'vitest'
import { type MacSite, openMac } from './mac-site.ts'

interface Request {
  /** The status that came back in the end; 0: it was cut off. */
  readonly answer: Promise<number>
  readonly finish: () => Promise<void>
}

/** An applied coder that works on a request until it is released, and should be changed. */
async function atWork(site: MacSite, expect: ExpectStatic, change: object): Promise<Request> {
  const finished = join(site.mac.home, 'finished')
  await rm(finished, { force: true })
  // Read at the start of a server: the proof of the apply was not held up, and the next one is not.
  const knobs = `${site.mac.llamaServer}.knobs.json`
  await writeFile(knobs, JSON.stringify({ answerOnce: finished }))
  await site.mac.launchd.kickstart('gui/501', 'com.example.coder', true)
  const headers = { authorization: 'Bearer k3y-of-the-mac' }
  const ask = (path: string, options: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${site.port}${path}`, { headers, ...options }).catch(() => undefined)
  await expect.poll(async () => (await ask('/health'))?.status).toBe(200)
  const answer = ask('/v1/chat/completions', { method: 'POST', body: '{}' }).then((response) => response?.status ?? 0)
  await expect.poll(async () => (await ask('/slots'))?.text()).toContain('"is_processing":true')
  await writeFile(knobs, '{}')
  await site.inventory({ coder: site.coder(change) })
  return { answer, finish: () => writeFile(finished, '') }
}

describe('a server that is in the middle of a request', { timeout: 120_000 }, () => {
  let site: MacSite
  beforeAll(async () => {
    site = await openMac(12_240)
    await site.inventory({ coder: site.coder() })
    const applied = await site.converge('apply', '-y')
    if (applied.code !== 0) throw new Error(applied.output)
  })
  afterAll(() => site[Symbol.asyncDispose]())

  it('keeps serving if the answer takes longer than the timeout', async ({ expect }) => {
    const { answer, finish } = await atWork(site, expect, { ctx_size: 2048 })
    const { pid } = await site.job()
    const late = await site.converge('apply', '-y', '--wait-idle', '1s')
    expect(late.code, late.output).toBe(5)
    expect(late.output).toContain('APPLY.STILL_BUSY')
    expect((await site.job()).pid).toBe(pid)
    await finish()
    expect(await answer).toBe(200)
    // Nothing was written, so that the same is planned again.
    const again = await site.converge('plan', '--detailed-exitcode')
    expect(again.code, again.output).toBe(2)
    expect(again.stdout).toContain('~ update coder')
  })

  it('is restarted on request when the answer is out', async ({ expect }) => {
    const { answer, finish } = await atWork(site, expect, {})
    const { pid } = await site.job()
    const refused = await site.converge('restart', 'coder', '-y')
    expect(refused.code, refused.output).toBe(3)
    expect(refused.output).toContain('SERVICE.BUSY')
    const restarting = site.begin('restart', 'coder', '-y', '--wait-idle', '2m')
    await expect.poll(() => restarting.soFar()).toContain('busy with a request; waiting until it is idle')
    expect((await site.job()).pid).toBe(pid)
    await finish()
    const restarted = await restarting.ended
    expect(restarted.code, restarted.output).toBe(0)
    expect(await answer).toBe(200)
    expect((await site.job()).pid).not.toBe(pid)
  })

  it('is refused without leave to wait, and with it is changed when the answer is out', async ({ expect }) => {
    // The desired port does not show the request.
    const { answer, finish } = await atWork(site, expect, { ctx_size: 2048, port: 12_241 })
    const refused = await site.converge('plan')
    expect(refused.code, refused.output).toBe(3)
    expect(refused.stdout).toContain('--wait-idle 10m')

    const applying = site.begin('apply', '-y', '--wait-idle', '2m')
    await expect.poll(() => applying.soFar()).toContain('busy with a request; waiting until it is idle')
    await finish()
    const applied = await applying.ended
    expect(applied.code, applied.output).toBe(0)
    expect(applied.output).toContain('waiting until it is idle, 2m at most')
    expect(applied.output).toContain('SERVICE.BUSY_WAIT')
    expect(applied.output).toContain('coder | busy with a request; waiting until it is idle')
    expect(await answer).toBe(200)
    expect((await site.job()).arguments.join(' ')).toContain('--ctx-size 2048')
  })
})
