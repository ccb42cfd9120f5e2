import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, type ExpectStatic, it } from 'vitest'
import type { RunReport } from '../../src/model/report.ts'
import { type Ended, type MacSite, openMac } from './mac-site.ts'

/** Two servers that want each other's port: one of them is down for a while. */

const roomy = { machine: { memoryBytes: 256 * 1024 ** 3 } }

function actsOn(site: MacSite, expect: ExpectStatic) {
  const [first, second] = [site.port, site.port + 1]
  const done = async (args: readonly string[], code = 0): Promise<Ended> => {
    const ended = await site.converge(...args)
    expect(ended.code, ended.output).toBe(code)
    return ended
  }
  return {
    done,
    before: (coder: object = {}) =>
      site.inventory({ coder: site.coder({ port: first, ...coder }), writer: site.coder({ port: second, alias: 'writer' }) }),
    swapped: () => site.inventory({ coder: site.coder({ port: second }), writer: site.coder({ port: first, alias: 'writer' }) }),
    /** Which server answers where. */
    heard: async () => [await aliasAt(first), await aliasAt(second)],
    apply: (code = 0) => done(['apply', '-y'], code),
    settled: () => done(['plan', '--detailed-exitcode']),
  }
}

async function aliasAt(port: number): Promise<string> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/models`)
    return /"id":"(\w+)"/.exec(await answer.text())?.[1] ?? 'unknown'
  } catch {
    return 'no server'
  }
}

/** Called where other Macs are waited for anyway: what it does most is wait. */
export function describePortSwaps(): void {
  describe.concurrent('two agents that swap their ports', { timeout: 240_000 }, () => {
    it('do so in the order of the plan; both are rolled back if the second one cannot be reloaded, or the first one does not come up', async ({
      expect,
    }) => {
      await using site = await openMac(12_200, roomy)
      const { done, before, swapped, heard, apply, settled } = actsOn(site, expect)
      await before()
      await apply()
      await swapped()
      // More tries than one load makes, fewer than that and the rollback together.
      site.mac.launchd.settings.faults.push({ verb: 'bootstrap', code: 5, times: 20 })
      const { stdout, output } = await apply(5)
      await expect.poll(heard, { message: output }).toEqual(['coder', 'writer'])
      expect(stdout).toMatch(/stop coder  done in .*; then rolled back/)
      expect(stdout).toContain('APPLY.TAKEN_BACK')

      const { plan }: RunReport = JSON.parse((await done(['apply', '-y', '--json'])).stdout)
      expect(plan?.hosts[0]?.actions.map(({ kind, service }) => `${kind} ${service}`)).toEqual([
        'stop coder',
        'update coder',
        'update writer',
        'start coder',
      ])
      expect(await heard()).toEqual(['writer', 'coder'])

      // And back, where the one that is down for a while does not come up.
      const broken = join(site.mac.home, 'broken', 'llama-server')
      await mkdir(dirname(broken))
      await copyFile(site.mac.llamaServer, broken)
      await writeFile(`${broken}.knobs.json`, JSON.stringify({ crash: 3 }))
      await before({ executable: broken })
      const failed = await apply(5)
      await expect.poll(heard, { message: failed.output }).toEqual(['writer', 'coder'])
      await swapped()
      await settled()
    })
  })
}
