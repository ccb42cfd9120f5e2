import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type ExpectStatic, it } from 'vitest'
import { openLinuxBox } from './linux-site.ts'
import { type Ended, type MacSite, openMac } from './mac-site.ts'

// Side by side, for what they do most is wait; each has a host and a port of its own.

interface Site {
  readonly folder: string
  converge(...args: readonly string[]): Promise<Ended>
}

function actsOn(site: Site, expect: ExpectStatic) {
  const facts = join(site.folder, 'facts')
  const run = async (code: number, ...args: readonly string[]): Promise<Ended> => {
    const ended = await site.converge(...args)
    expect(ended.code, ended.output).toBe(code)
    return ended
  }
  const planned = async (code: number, ...args: readonly string[]) => {
    const { stdout } = await run(code, 'plan', '--json', ...args)
    return { text: stdout, ...JSON.parse(stdout) }
  }
  return {
    facts,
    run,
    gather: () => run(0, 'facts', '--out', facts),
    file: async () => join(facts, (await readdir(facts))[0] ?? ''),
    fromFiles: (code: number, ...more: readonly string[]) => planned(code, '--facts', facts, ...more),
    /** A plan from files says of the host what one that looks says. */
    agrees: async (code = 0, ...more: readonly string[]) => {
      await run(0, 'facts', '--out', facts)
      const looked = await planned(code)
      const read = await planned(code, '--facts', facts, ...more)
      expect(read.facts_from).toMatchObject({ folder: facts, oldest: expect.any(String), newest: read.facts_from.oldest })
      expect(steady(read), read.text).toEqual(steady(looked))
      return read
    },
    /** Drift as well, from the files of the last plan. */
    driftAgrees: async (code: number) => {
      const looked = JSON.parse((await run(code, 'drift', '--json')).stdout)
      const read = JSON.parse((await run(code, 'drift', '--json', '--facts', facts)).stdout)
      expect(steady(read)).toEqual(steady(looked))
    },
  }
}

/**
 * Without what differs between any two looks: times, and how much memory is free at the moment; and without digests of definitions, which
 * files leave out those with a key.
 */
function steady(plan: { readonly hosts: readonly object[]; readonly summary: object }): unknown {
  const digest = /^[0-9a-f]{64}$/
  const text = JSON.stringify({ summary: plan.summary, hosts: plan.hosts }, (name, value: unknown) => {
    if (['facts_gathered_at', 'definition_digest'].includes(name)) return undefined
    return name === 'args' && Array.isArray(value) ? value.map((one) => (digest.test(String(one)) ? 'digest' : one)) : value
  })
  return JSON.parse(text.replaceAll(/\d+(\.\d+)? (GiB|MiB|kB|GB|MB)( available)?/g, 'N'))
}

describe.concurrent('a facts snapshot of a box', { timeout: 400_000 }, () => {
  it('lead to the same plan as a look at it, before and after an apply, with changes, refusals and another key', async ({
    expect,
  }) => {
    await using site = await openLinuxBox(13_620)
    const { agrees, driftAgrees, run } = actsOn(site, expect)
    await site.inventory({ flagship: site.flagship() })
    expect((await agrees()).summary.changes).toBe(2)
    await run(0, 'apply', '-y')
    expect((await agrees()).summary).toMatchObject({ changes: 0, refusals: 0 })
    await site.inventory({ flagship: site.flagship({ ctx: 8192 }) })
    expect((await agrees(3)).hosts[0].refusals).toMatchObject([{ code: 'WARM.RESTART' }])
    await driftAgrees(0)
    await writeFile(join(site.folder, 'other.key'), 'an0ther-key-of-the-box', { mode: 0o600 })
    await site.inventory({ flagship: site.flagship({ api_key: { file: join(site.folder, 'other.key') } }) })
    const other = await agrees(3, '--run-secret-commands')
    expect(other.hosts[0].held_back).toMatchObject([
      { kind: 'restart', changes: [{ field: 'running.key' }, { field: 'key_file' }] },
    ])
    await site.inventory({ flagship: site.flagship({ state: 'absent' }) })
    await agrees(3)
  })

  it('need no connection, and are rejected if they are old, edited, of another host or version, or missing', async ({
    expect,
  }) => {
    await using site = await openLinuxBox(13_621)
    const { facts, run, gather, file, fromFiles } = actsOn(site, expect)
    await site.inventory({ flagship: site.flagship() })
    await gather()
    const guard = join(site.folder, 'guard.mjs')
    await writeFile(
      guard,
      "import { Socket } from 'node:net'\nSocket.prototype.connect = () => process.exit(99)\n" +
        "import child from 'node:child_process'\nimport { syncBuiltinESMExports } from 'node:module'\n" +
        'child.spawn = () => process.exit(98)\nsyncBuiltinESMExports()\n',
    )
    const alone = await site.beside(guard).converge('plan', '--facts', facts, '--detailed-exitcode')
    expect(alone.code, alone.output).toBe(2)
    expect(alone.stdout).toMatch(/No host was contacted: this rests on facts in \S+,\s+gathered at 20/)
    expect((await site.beside(guard).converge('plan')).code).not.toBe(0)

    const path = await file()
    const whole = await readFile(path, 'utf8')
    expect(whole).not.toContain('k3y/etc')
    const code = async (...more: readonly string[]) => (await fromFiles(4, ...more)).hosts[0].problem.code
    expect(await code('--facts-max-age', '0s')).toBe('FACTS.OUTDATED')
    await fromFiles(0, '--facts-max-age', '1h')
    await writeFile(path, whole.replace('"availableBytes": ', '"availableBytes": 9'))
    expect(await code()).toBe('FACTS.DAMAGED')
    await writeFile(path, whole.slice(0, 1000))
    expect(await code()).toBe('FACTS.DAMAGED')
    await writeFile(path, whole.replace('host-facts/v1', 'host-facts/v2'))
    expect(await code()).toBe('FACTS.OTHER_VERSION')
    await writeFile(path, whole.replace(/"tool": "[^"]*"/, '"tool": "0.0.1"'))
    expect(await code()).toBe('FACTS.OTHER_VERSION')
    await writeFile(path, whole)
    await site.inventory({ flagship: site.flagship() })
    const fleet = join(site.folder, 'fleet.yaml')
    await writeFile(fleet, (await readFile(fleet, 'utf8')).replace('127.0.0.1', '127.0.0.2'))
    expect(await code()).toBe('FACTS.OTHER_HOST')
    await rm(path)
    expect(await code()).toBe('FACTS.NO_FILE')
    await run(64, 'plan', '--facts', facts, '--out', join(site.folder, 'plan.json'))
    await run(64, 'plan', '--facts-max-age', '1h')
  })
})

describe.concurrent('a facts snapshot of a Mac', { timeout: 400_000 }, () => {
  it('lead to the same plan as a look at it, also with the key in the definition, and leave unknown what was not asked', async ({
    expect,
  }) => {
    await using site = await openMac(12_300)
    const acts = actsOn(site, expect)
    const { agrees, driftAgrees, run } = acts
    await site.inventory({ coder: site.coder() })
    expect((await agrees()).summary.changes).toBe(2)
    await run(0, 'apply', '-y')
    expect((await agrees()).summary.changes).toBe(0)
    await leaveUnknown(site, acts, expect)
    await site.inventory({ coder: site.coder({ key_delivery: 'inline' }) })
    await run(0, 'apply', '-y')
    expect((await agrees()).summary.changes).toBe(0)
    await driftAgrees(0)
    await site.inventory({ coder: site.coder({ key_delivery: 'inline', port: 12_301 }) })
    await agrees()
  })
})

/** What was not asked when the files were written, of a service that is applied. */
async function leaveUnknown(site: MacSite, { fromFiles }: ReturnType<typeof actsOn>, expect: ExpectStatic): Promise<void> {
  await site.inventory({ coder: site.coder({ ctx_size: 2048 }) })
  expect((await fromFiles(0)).hosts[0].actions).toMatchObject([{ kind: 'update' }])
  await site.inventory({ coder: site.coder({ port: 12_311 }) })
  expect((await fromFiles(0)).hosts[0].actions).toMatchObject([{ kind: 'update' }])
  await site.inventory({ coder: site.coder({ model: { path: '/Users/op/models/other.gguf' } }) })
  expect((await fromFiles(3)).hosts[0].refusals).toMatchObject([{ code: 'FACT.UNKNOWN', service: 'coder' }])
  await site.inventory({ coder: site.coder(), writer: site.coder({ port: 12_312 }) })
  const next = [expect.stringMatching(/converge facts --limit studio --out \S+ {4}# with this inventory$/)]
  expect((await fromFiles(3)).hosts[0].refusals).toMatchObject([{ code: 'FACT.UNKNOWN', service: 'writer', next }])
  await site.inventory({ coder: site.coder({ executable: '/opt/other/model-server' }) })
  const { text } = await fromFiles(3)
  expect(text).toContain('the facts snapshot does not cover processes of /opt/other/model-server')
}
