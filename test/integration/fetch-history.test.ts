import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { convergeHere } from '../support/converge-here.ts'
import { startFakeHub } from '../support/fake-hub.ts'
import { program } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'

const commit = 'c1'.repeat(20)
const repos = { 'org/coder': { at: { main: commit }, files: { 'coder.gguf': { bytes: 300_000, seed: 'coder' } } } }

/** This machine is controller and host; what is in a temporary folder is all that is touched. */
async function openSite() {
  const folder = mkdtempSync(join(tmpdir(), 'fetch-history-'))
  const at = (name: string) => join(folder, name)
  const hub = await startFakeHub(repos, { token: 'hf_s3cret' })
  const hook = await startReceiver()
  mkdirSync(at('models'))
  writeFileSync(at('hook.url'), hook.url, { mode: 0o600 })
  writeFileSync(
    at('hosts.yaml'),
    `all:
  vars:
    fleet: { notify: [{ webhook: { file: hook.url } }] }
    converge_dir: ${at('etc')}
  hosts:
    here:
      ansible_connection: local
      services:
        coder:
          kind: A
          manager: systemd
          executable: /usr/bin/llama-server
          port: 9990
          ctx_size: 4096
          state: stopped
          model: { path: ${at('models/coder.gguf')}, source: { repo: org/coder, hub: "${hub.url}", token: { env: HUB_TOKEN } } }
`,
  )
  const env = { PATH: process.env['PATH'], HOME: folder, NO_COLOR: '1', HUB_TOKEN: 'hf_s3cret', CONVERGE_STATE_DIR: at('state') }
  const inventory = ['-i', at('hosts.yaml')] as const
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await convergeHere(args, { cwd: folder, env })
    const output = `${stdout}${stderr}`
    expect(output).not.toContain('s3cret')
    return { code, output, stdout }
  }
  const job = (name: string) => {
    const [id = ''] = readdirSync(at('etc/fetch'))
    return readFileSync(at(`etc/fetch/${id}/${name}`), 'utf8').trim()
  }
  const history = async () => {
    const { runs } = JSON.parse((await run('history', '--json')).stdout)
    return runs.flatMap((one: { readonly verb: string; readonly headline: string }) =>
      one.verb === 'fetch' ? [one.headline] : [],
    )
  }
  return {
    hub,
    run,
    /** In a process of its own, which can be killed. */
    follow: () => {
      const options = { cwd: folder, env, extendEnv: false, reject: false, stdin: 'ignore' } as const
      return execa(process.execPath, [program, 'fetch', ...inventory, '--follow'], options)
    },
    job,
    history,
    at,
    fetch: (...args: readonly string[]) => run('fetch', ...inventory, ...args),
    drift: () => run('drift', ...inventory, '--json'),
    /** Of the model alone: what else this machine runs is its own. */
    output: () =>
      hook.received
        .flatMap(({ body }): string[] => JSON.parse(body).text.split('\n'))
        .filter((line) => line.includes('here/coder')),
    /** The job, and all that it started. */
    kill: async () => {
      const pid = Number(job('process').split(' ')[0])
      process.kill(-pid, 'SIGKILL')
      await expect.poll(() => isAlive(pid)).toBe(false)
    },
    [Symbol.asyncDispose]: async () => {
      await hub[Symbol.asyncDispose]()
      await hook[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A zombie has ended. */
function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z')
  } catch {
    return false
  }
}

test('the history contains the end of a download, which is notified once', { timeout: 120_000 }, async () => {
  await using site = await openSite()
  site.hub.behaveFor('cdn', { hang: 1000 })
  const begun = JSON.parse((await site.fetch('--json')).stdout)
  expect(begun).toMatchObject({ schema: 'converge/fetch/v1', models: [{ state: 'fetching', job: { run_id: begun.run_id } }] })
  expect(await site.history()).toEqual([expect.stringMatching(/^1 being fetched, .* of 293 KiB \(1 host\)\.$/)])
  expect(site.output()).toEqual([])

  await site.kill()
  const cut = JSON.parse((await site.drift()).stdout)
  expect(cut.hosts[0].findings).toContainEqual(
    expect.objectContaining({ field: 'model.files', class: 'pending', actual: '0 of 1 file, the download was interrupted' }),
  )
  expect(cut.hosts[0].fetches).toMatchObject([{ state: 'due', job: { state: 'working', alive: false, run_id: begun.run_id } }])
  expect(site.output()).toEqual(['new failed here/coder org/coder: the download was cut off'])
  expect(await site.history()).toEqual([expect.stringMatching(/^1 cut off, /)])

  site.hub.behaveFor('cdn', {})
  const again = await site.fetch()
  expect(again.output).toContain('restarted: the previous download was cut off')
  await expect.poll(() => site.job('state')).toBe('done')
  await site.drift()
  await site.drift()
  expect(site.output().slice(1)).toEqual([
    `new fetched here/coder org/coder: 1 file, 293 KiB at ${commit.slice(0, 12)}`,
    'gone failed here/coder org/coder',
  ])
  expect(await site.history()).toEqual(['1 complete, 293 KiB (1 host).', expect.stringMatching(/^1 cut off, /)])
  const page = await site.run('report', begun.run_id, '--format', 'markdown')
  expect(page.output).toContain('converge fetch: 1 cut off')

  // There is nothing to do, and nothing to write down.
  const idle = await site.fetch()
  expect(idle).toMatchObject({ code: 0, output: expect.stringContaining('complete: one file') })
  expect(site.output()).toHaveLength(3)
  expect(await site.history()).toHaveLength(2)
})

test('the history contains a download although the process that followed it was killed', { timeout: 60_000 }, async () => {
  await using site = await openSite()
  site.hub.behaveFor('cdn', { hang: 1000 })
  const follower = site.follow()
  await expect.poll(() => site.history()).toEqual([expect.stringMatching(/^1 being fetched, /)])
  follower.kill('SIGKILL')
  await follower
  expect((await site.fetch('stop')).output).toContain('stopped')
  expect(await site.history()).toEqual([expect.stringMatching(/^1 stopped, /)])
  expect(site.output()).toEqual([])
})
