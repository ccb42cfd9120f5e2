import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { convergeHere } from '../support/converge-here.ts'
import { type FakeHub, startFakeHub } from '../support/fake-hub.ts'

const commit = 'a1'.repeat(20)
const repos = { 'org/coder': { at: { main: commit }, files: { 'Q4/coder.gguf': 5_000_000, 'README.md': 900 } } }

/** The host is this machine, of which a plan only looks at files. */
describe('a plan for a model that comes from a hub', { timeout: 60_000 }, () => {
  let folder: string
  let hub: FakeHub
  const at = (name: string) => join(folder, name)

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plan-models-'))
    hub = await startFakeHub(repos, { token: 'hf_s3cret' })
    mkdirSync(at('models'))
    writeFileSync(
      at('hosts.yaml'),
      `all:
  hosts:
    here:
      ansible_connection: local
      converge_dir: ${at('converge')}
      services:
        coder:
          kind: A
          manager: systemd
          executable: /usr/bin/llama-server
          host: 127.0.0.1
          port: 9990
          ctx_size: 4096
          state: stopped
          model: { path: ${at('models/coder.gguf')}, source: { repo: org/coder, hub: "${hub.url}", token: { env: HUB_TOKEN } } }
`,
    )
  })
  afterEach(async () => {
    await hub[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  async function plan(...args: readonly string[]) {
    const env = { PATH: process.env['PATH'], HOME: folder, HUB_TOKEN: 'hf_s3cret', CONVERGE_STATE_DIR: at('state') }
    const { stdout, stderr } = await convergeHere(['plan', '-i', at('hosts.yaml'), ...args], { cwd: folder, env })
    expect(stdout + stderr).not.toContain('s3cret')
    return stdout
  }

  async function fetches(...args: readonly string[]) {
    return JSON.parse(await plan('--json', ...args)).hosts[0].fetches
  }

  test('says what would be fetched, and what would be verified', async () => {
    expect(await fetches()).toEqual([
      {
        model: at('models/coder.gguf'),
        services: ['coder'],
        hub: hub.url,
        repo: 'org/coder',
        revision: 'main',
        commit,
        state: 'due',
        files: { count: 1, complete: 0, unverified: 0, other: 0, bytes: 5_000_000, bytes_to_fetch: 5_000_000 },
        free_bytes: expect.any(Number),
      },
    ])
    // The third is about how the file begins.
    expect(hub.asked).toHaveLength(3)
    expect(await plan()).toMatch(/ {2}↓ fetch coder: 1 file, 4\.77 MiB, \S+ \S+ free\n/)
    writeFileSync(at('models/coder.gguf'), '')
    truncateSync(at('models/coder.gguf'), 5_000_000)
    expect(await plan()).toContain('  ↓ fetch coder: 1 file to verify\n')
    truncateSync(at('models/coder.gguf'), 4_000_000)
    expect(await plan()).toContain('  ✗ fetch coder: refused, 1 file different from the source  MODEL.DIGEST_MISMATCH\n')
  })

  test('continues without a hub that does not answer', async () => {
    hub.behave('hang')
    const before = performance.now()
    expect(await fetches()).toMatchObject([{ state: 'unknown', commit: null, problem: { code: 'HUB.UNREACHABLE' } }])
    expect(performance.now() - before).toBeLessThan(20_000)
  })

  test('asks no hub for an untrusted inventory', async () => {
    expect(await plan('--no-secret-commands')).toContain('1 host')
    expect(hub.asked).toEqual([])
  })
})
