import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { convergeHere } from '../support/converge-here.ts'
import { bytesSent } from '../support/fake-hub/asked.ts'
import { bytesAt } from '../support/fake-hub/content.ts'
import { type FakeHub, startFakeHub } from '../support/fake-hub.ts'
import { hasSshd, type Sshd, startSshd } from '../support/sshd.ts'

const commit = 'c1'.repeat(20)
const content = { bytes: 3_000_000, seed: 'coder' }
const right = bytesAt(content, 0, content.bytes)

/** No container: a look then asks docker neither about an image nor about compose. */
const unit = 'manager: systemd\n          executable: /opt/llama-server'

/** This machine as two hosts, one over SSH: that has the model from the hub, and the other is to get it from there. */
describe.skipIf(!hasSshd)('converge fetch from another host', () => {
  let folder: string
  let hub: FakeHub
  let sshd: Sshd
  const at = (name: string) => join(folder, name)
  const sent = () => bytesSent(hub.askedAnywhere, 'org/coder/coder.gguf').sent

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fetch-fleet-'))
    hub = await startFakeHub({ 'org/coder': { at: { main: commit }, files: { 'coder.gguf': content } } })
    sshd = await startSshd()
    mkdirSync(at('inventory'))
    describeFleet('first', '')
    const first = await run('--limit', 'nas', '--follow')
    if (first.code !== 0) throw new Error(first.output)
  })

  afterAll(async () => {
    await hub[Symbol.asyncDispose]()
    await sshd.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** @param place of the model on the second host; `more` of what its source says */
  function describeFleet(place: string, more: string, address = hub.url): void {
    const { port, user = '', privateKeyFile = '' } = sshd.host().connection
    const overSsh = `ansible_host: 127.0.0.1\n      ansible_port: ${port}\n      ansible_user: ${user}\n      ansible_ssh_private_key_file: ${privateKeyFile}`
    const host = (name: string, path: string, source: string) => `
    ${name}:
      ${name === 'nas' ? overSsh : 'ansible_connection: local'}
      converge_dir: ${at(`etc-${name}`)}
      services:
        coder:
          kind: A
          ${unit}
          port: 9990
          model: { path: ${path}, source: { repo: org/coder, hub: "${address}", revision: ${commit}${source} } }`
    const hosts = [host('nas', at('nas/coder.gguf'), ''), host('studio', at(`${place}/coder.gguf`), more)]
    writeFileSync(at('inventory/hosts.yaml'), `all:\n  hosts:${hosts.join('')}\n`)
  }

  async function run(...args: readonly string[]) {
    const env = { PATH: process.env['PATH'], HOME: folder, NO_COLOR: '1', CONVERGE_STATE_DIR: at('state') }
    const [verb = ''] = args
    const words = verb === 'plan' ? args : ['fetch', ...args]
    const given = ['-i', at('inventory'), '--ssh-config', sshd.sshConfig]
    const { code, stdout, stderr } = await convergeHere([...words, ...given], { env, cwd: folder })
    return { code, output: `${stdout}\n${stderr}`, stdout }
  }

  async function studio(...args: readonly string[]) {
    const { code, stdout, output } = await run('--limit', 'studio', '--json', ...args)
    return { code, output, model: JSON.parse(stdout).models[0] }
  }

  test('takes what one of the fleet has, and the hub sends nothing', async () => {
    describeFleet('auto', '')
    expect((await run('plan')).output).toContain('↓ fetch coder: 1 file, 2.86 MiB from nas, ')
    const check = await studio('--check')
    expect(check).toMatchObject({ code: 2, model: { state: 'due', files: [{ from: 'nas' }] } })
    const { code, output } = await run('--limit', 'studio', '--follow')
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('from nas') })
    expect(readFileSync(at('auto/coder.gguf')).equals(right)).toBe(true)
  })

  test('without --follow, the host asks the hub, or no source if the fleet is the only one', async () => {
    describeFleet('detached', ', from: fleet')
    expect(await studio('--detach')).toMatchObject({
      code: 3,
      model: { state: 'refused', problem: { code: 'FETCH.NEEDS_CONTROLLER' } },
    })
    describeFleet('detached', '')
    expect((await studio('--detach')).code).toBe(0)
    expect((await studio('--follow')).model).toMatchObject({ state: 'complete' })
    expect(sent()).toBe(2 * content.bytes)
  })

  test('the fleet alone needs no hub, and no token', async () => {
    const asked = hub.askedAnywhere.length
    describeFleet('alone', ', from: fleet, token: { env: NOT_SET }', 'http://127.0.0.1:9')
    expect(await studio('--follow')).toMatchObject({ code: 0, model: { state: 'complete', commit } })
    expect(readFileSync(at('alone/coder.gguf')).equals(right)).toBe(true)
    expect(hub.askedAnywhere.length).toBe(asked)
  })

  test('wrong bytes under a right record get no name; the hub is asked once, where it may be', async () => {
    const wrong = Buffer.from(right)
    wrong[1_000_000] = (wrong[1_000_000] ?? 0) ^ 1
    writeFileSync(at('nas/coder.gguf'), wrong)
    lie(at('nas/coder.gguf'))
    const before = sent()
    describeFleet('wrong', ', from: fleet')
    const failed = await studio('--follow')
    expect(failed).toMatchObject({ code: 5, model: { state: 'failed', problem: { code: 'MODEL.DIGEST_MISMATCH' } } })
    expect(sent()).toBe(before)
    describeFleet('wrong', '')
    expect(await studio('--follow')).toMatchObject({ code: 0, model: { state: 'complete' } })
    expect(readFileSync(at('wrong/coder.gguf')).equals(right)).toBe(true)
    expect(sent()).toBe(before + content.bytes)
  })

  test('a file that was touched since is not one that a host has', async () => {
    writeFileSync(at('nas/coder.gguf'), right)
    describeFleet('touched', ', from: fleet')
    const refused = await studio('--follow')
    expect(refused).toMatchObject({ code: 3, model: { state: 'refused', problem: { code: 'FETCH.NO_NEIGHBOUR' } } })
    expect(refused.model.problem.why).toContain('(nas) has it with a verified digest')
  })

  /** The record of the first host says that what lies there now is what was hashed. */
  function lie(path: string): void {
    const { size, ino, mtimeMs, ctimeMs } = statSync(path)
    const stamp = [size, ino, Math.floor(mtimeMs / 1000), Math.floor(ctimeMs / 1000)].join(' ')
    const [record = ''] = recordsBelow(at('etc-nas'))
    const [kind = '', hex = ''] = readFileSync(record, 'utf8').split(' ')
    writeFileSync(record, `${kind} ${hex} ${stamp} ${path}\n`)
  }
})

function recordsBelow(folder: string): readonly string[] {
  return readdirSync(join(folder, 'fetch')).map((id) => join(folder, 'fetch', id, 'digests'))
}
