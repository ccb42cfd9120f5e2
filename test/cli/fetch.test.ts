import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeGguf } from '../../simulation/gguf-writer.ts'
import { fetchIdOf } from '../../src/facts/fetch-id.ts'
import { convergeHere } from '../support/converge-here.ts'
import type { FakeContent } from '../support/fake-hub/content.ts'
import { startFakeHub } from '../support/fake-hub.ts'

const commit = 'c1'.repeat(20)
const token = 'hf_s3cret'
const content = { bytes: 300_000, seed: 'coder' }
/** No container: a look then asks docker neither about an image nor about compose. */
const unit = 'manager: systemd\n          executable: /opt/llama-server'

/** This machine as a host, a hub, and a service whose model is there; what is in a temporary folder is all that is touched. */
async function site({ inContainer = false, file = content }: { inContainer?: boolean; file?: FakeContent } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'fetch-'))
  const at = (name: string) => join(folder, name)
  const hub = await startFakeHub({ 'org/coder': { at: { main: commit }, files: { 'coder.gguf': file } } }, { token })
  mkdirSync(at('inventory'))
  const describe = (source: string, more = '') =>
    writeFileSync(
      at('inventory/hosts.yaml'),
      `all:
  vars: { converge_dir: ${at('etc')} }
  hosts:
    here:
      ansible_connection: local
      services:
        coder:
          kind: A
          ${inContainer ? 'manager: compose' : unit}
          port: 9990
          model:
            path: ${at('models/coder.gguf')}
            source: { repo: org/coder, hub: "${hub.url}", token: { env: HUB_TOKEN }, ${source} }
${more}`,
    )
  describe('revision: main')
  const run = async (...args: readonly string[]) => {
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      NO_COLOR: '1',
      HUB_TOKEN: token,
      CONVERGE_STATE_DIR: at('state'),
    }
    const words = ['fetch', ...args, '-i', at('inventory')]
    const { code, stdout, stderr } = await convergeHere(words, { env, cwd: folder })
    const output = `${stdout}\n${stderr}`
    expect(output).not.toContain('s3cret')
    return { code, output, stdout }
  }
  return {
    hub,
    run,
    describe,
    at,
    model: () => readFileSync(at('models/coder.gguf')),
    [Symbol.asyncDispose]: async () => {
      const pid = Number(readJob(at('etc'), 'process').split(' ')[0])
      if (!readJob(at('etc'), 'state').startsWith('done') && pid > 0) endGroup(pid)
      await hub[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A file in the folder of the only job; empty if it is missing. */
function readJob(etc: string, name: string): string {
  try {
    const [id = ''] = readdirSync(join(etc, 'fetch'))
    return readFileSync(join(etc, 'fetch', id, name), 'utf8')
  } catch {
    return ''
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It is over.
  }
}

test.concurrent('a model is checked, fetched, and then complete', async () => {
  await using one = await site({ inContainer: true })
  const before = await one.run('--check')
  expect(before.output).toMatch(
    /^~ coder@here {2}org\/coder at c1c1c1c1c1c1 {2}to fetch: 0 of one file complete, 0 B of 293 KiB$/m,
  )
  expect(before.code).toBe(2)
  expect(readdirSync(one.at('.'))).not.toContain('models')
  const { code, stdout } = await one.run('--follow', '--json')
  expect(code).toBe(0)
  const path = one.at('models/coder.gguf')
  expect(JSON.parse(stdout)).toEqual({
    schema: 'converge/fetch/v1',
    run_id: expect.stringMatching(/^\d{8}T\d{6}Z-[0-9a-f]+$/),
    created_at: expect.any(String),
    inventory: expect.any(Object),
    unreachable: [],
    models: [
      {
        host: 'here',
        services: ['coder'],
        model: path,
        hub: one.hub.url,
        repo: 'org/coder',
        revision: 'main',
        commit,
        files: [{ path, bytes: 300_000, have: 300_000, state: 'complete' }],
        state: 'complete',
        // Its process may end a moment after it has said so.
        job: expect.objectContaining({ state: 'done' }),
      },
    ],
  })
  expect(one.model().length).toBe(300_000)
  const after = await one.run('--check')
  expect(after.output).toContain('✓ coder@here  org/coder at c1c1c1c1c1c1  complete: one file, 293 KiB')
  expect(after.code).toBe(0)
  const log = await one.run('log')
  expect(log.output).toMatch(/^coder@here\n {2}\S+ begins\n/m)
  expect(log.output).toContain('all files are complete, and their digests match')
  expect(log.code).toBe(0)
  expect(JSON.parse((await one.run('log', '--json')).stdout)).toMatchObject({
    schema: 'converge/fetch-log/v1',
    logs: [{ host: 'here' }],
  })
})

test.concurrent('a download that continues on its own is shown, can be stopped and resumed, and its damaged record is rewritten', async () => {
  await using one = await site()
  one.hub.behaveFor('cdn', { slow: 2000 })
  const begun = await one.run('--detach')
  expect(begun.output).toMatch(/^↓ coder@here .* fetching: 0 of one file complete, /m)
  expect(begun.code).toBe(0)
  const status = await one.run('status')
  expect(status.output).toContain('↓ coder@here')
  expect(status.code).toBe(0)
  const stopped = await one.run('stop')
  expect(stopped.output).toMatch(/^■ coder@here .* stopped: 0 of one file complete, /m)
  expect(stopped.code).toBe(0)
  expect((await one.run('--check')).code).toBe(2)
  one.hub.behaveFor('cdn', {})
  const resumed = await one.run('--follow')
  expect(resumed.output).toContain('✓ coder@here')
  expect(resumed.code).toBe(0)
  // Proved files stay proved.
  const folder = one.at(`etc/fetch/${fetchIdOf(one.at('models/coder.gguf'))}`)
  writeFileSync(join(folder, 'state'), '')
  writeFileSync(join(folder, 'about'), '')
  expect((await one.run('--check')).code).toBe(0)
  writeFileSync(join(folder, 'digests'), '')
  expect((await one.run('--check')).output).toContain('to verify: one file')
  expect(await one.run('--follow')).toMatchObject({ code: 0 })
  expect(readJob(one.at('etc'), 'state')).toBe('done\n')
})

test.concurrent('without its hub a branch is unknown, and of a commit only what is proved is known', async () => {
  await using one = await site()
  one.hub.behave({ status: 404 })
  const { code, output } = await one.run('--check')
  expect(output).toContain('? coder@here  org/coder  unknown')
  expect(output).toContain('HUB.ABSENT')
  expect(code).toBe(4)
  expect((await one.run()).code).toBe(4)
  one.hub.behave('well')
  expect(await one.run('--follow')).toMatchObject({ code: 0 })
  one.describe(`revision: ${commit}`)
  const [asked, pinned] = [one.hub.asked.length, await one.run('--check')]
  expect(pinned.output).toContain('✓ coder@here')
  expect(pinned.code).toBe(0)
  expect(one.hub.asked.length).toBeGreaterThanOrEqual(asked)
  one.hub.behave({ status: 404 })
  expect((await one.run()).code).toBe(0)
  one.describe(`revision: ${'d2'.repeat(20)}`)
  expect((await one.run('--check')).code).toBe(4)
  expect((await one.run('status')).output).toContain('~ coder@here  org/coder  not fetched yet')
})

test.concurrent('what is something else is refused, and nothing is written', async () => {
  await using one = await site()
  mkdirSync(one.at('models'))
  writeFileSync(one.at('models/coder.gguf'), 'mine')
  for (const args of [['--check'], ['--detach']]) {
    // oxlint-disable-next-line no-await-in-loop -- two runs
    const { code, output } = await one.run(...args)
    expect(output).toContain('✗ coder@here')
    expect(output).toContain('MODEL.DIGEST_MISMATCH')
    expect(code).toBe(3)
  }
  expect(one.model().toString()).toBe('mine')
  expect(readdirSync(one.at('models'))).toEqual(['coder.gguf'])
})

test.concurrent('a job that fails says why', async () => {
  await using one = await site()
  // The first request is that of a look at how the file begins.
  one.hub.behaveFor('resolve', {}, { status: 403 }, {})
  const { code, output } = await one.run('--follow')
  expect(output).toContain('✗ coder@here')
  expect(output).toContain('HUB.DENIED')
  expect(code).toBe(5)
  expect((await one.run('--check')).code).toBe(2)
})

test.concurrent('services of one path share a job, or are refused where their sources differ', async () => {
  await using one = await site()
  const another = (revision: string) => `        second:
          kind: A
          ${unit}
          port: 9991
          model:
            path: ${one.at('models/coder.gguf')}
            source: { repo: org/coder, hub: "${one.hub.url}", token: { env: HUB_TOKEN }, revision: ${revision} }
`
  one.describe('revision: main', another('main'))
  const shared = await one.run('--check')
  expect(shared.output).toContain('~ coder, second@here')
  expect(shared.code).toBe(2)
  one.describe('revision: main', another('v1'))
  const rivals = await one.run('--check')
  expect(rivals.output).toContain('FETCH.SOURCES')
  expect(rivals.code).toBe(3)
})

test.concurrent('a hub is not asked for an untrusted inventory', async () => {
  await using one = await site()
  const { code, output } = await one.run('--no-secret-commands')
  expect(output).toContain('HUB.NOT_ASKED')
  expect(code).toBe(64)
  expect(one.hub.askedAnywhere).toEqual([])
})

test.concurrent('what its hub does not give is not begun', async () => {
  await using one = await site()
  one.hub.behaveFor('resolve', { gated: 'terms' })
  const { code, stdout } = await one.run('--follow', '--json')
  expect(code).toBe(3)
  expect(JSON.parse(stdout).models).toMatchObject([{ state: 'refused', problem: { code: 'MODEL.GATED' } }])
  expect(readdirSync(one.at('.'))).not.toContain('models')
  expect(readJob(one.at('etc'), 'state')).toBe('')
})

test.concurrent('what the machine could not serve is said before it is fetched', async () => {
  const shape = { block_count: 80, context_length: 8192, embedding_length: 8192, 'attention.head_count': 64 }
  const numbers = Object.fromEntries(Object.entries(shape).map(([key, u32]) => [`llama.${key}`, { u32 }]))
  const head = writeGguf({ 'general.architecture': { string: 'llama' }, ...numbers }, [])
  await using one = await site({ file: { bytes: 4000 * 1024 ** 3, head, sha256: 'ab'.repeat(32) } })
  const { output } = await one.run('--check')
  expect(output).toContain('MEMORY.INSUFFICIENT  coder would need')
  const { stdout } = await one.run('--check', '--json')
  expect(JSON.parse(stdout).models).toMatchObject([
    { problem: { code: 'MODEL.NO_SPACE' }, warning: { code: 'MEMORY.INSUFFICIENT' } },
  ])
})

test.concurrent.each([
  ['stop', '--check'],
  ['status', '--follow'],
  ['log', '--detach'],
])('fetch %s takes no %s, which would be ignored', async (what, option) => {
  await using one = await site()
  const { code, output } = await one.run(what, option)
  expect(output).toContain(`takes no ${option}`)
  expect(code).toBe(64)
})

test.concurrent('a lock whose holder does not fetch is no success', async () => {
  await using one = await site()
  const folder = one.at(`etc/fetch/${fetchIdOf(one.at('models/coder.gguf'))}`)
  mkdirSync(folder, { recursive: true })
  symlinkSync('4711.123@0123456789abcdef:studio.lan:5c1f:', join(folder, 'lock'))
  const { code, output } = await one.run('--follow')
  expect(output).toContain('FETCH.BUSY')
  expect(output).toContain('process 4711 of the machine studio.lan holds the lock')
  expect(output).toContain(join(folder, 'lock'))
  expect(code).toBe(5)
})
