import { spawn } from 'node:child_process'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { type Mac, startMac } from '../../simulation/mac/mac.ts'

async function run(
  mac: Mac,
  ...[tool = '', ...words]: readonly string[]
): Promise<{ readonly code: number | undefined; readonly out: string }> {
  const { exitCode, stdout } = await execa(tool, words, { env: { ...mac.environment }, extendEnv: false, reject: false })
  return { code: exitCode, out: stdout }
}

describe('sleep', () => {
  it('is put off by caffeinate until the process ends that it waits for', async () => {
    await using mac = await startMac()
    const busy = spawn('sleep', ['60'])
    const awake = run(mac, 'caffeinate', '-i', '-m', '-w', String(busy.pid))
    const seen = async () => (await run(mac, 'ps', '-axww', '-o', 'command=')).out
    await expect.poll(seen).toContain(`caffeinate -i -m -w ${busy.pid}`)
    busy.kill()
    expect((await awake).code).toBe(0)
    expect(await seen()).not.toContain('caffeinate')
  })

  it('every account can read timers, and root sets them', async () => {
    await using mac = await startMac()
    expect((await run(mac, 'pmset', '-a', 'disksleep', '0')).out).toBe("'pmset' must be run as root...")
    expect((await run(mac, 'pmset', '-g', 'custom')).out).toMatch(/^AC Power:\n disksleep +10$/m)
    expect((await run(mac, 'sudo', '-n', '--', 'pmset', '-a', 'disksleep', '0', 'sleep', '5')).code).toBe(0)
    expect((await run(mac, 'pmset', '-g', 'custom')).out).toMatch(/ disksleep +0\n sleep +5$/)
  })
})
