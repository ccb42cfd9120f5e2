import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeKey, publicHalf } from '../../simulation/ssh-files.ts'
import { keywordOf } from '../../src/inventory/ssh-keyword.ts'
import { resolveSettings } from '../../src/transports/settings/resolve-settings.ts'
import { createStartLimiter } from '../../src/transports/start-limiter.ts'
import { plainKnownKeys, searchKnownKeys } from '../../src/transports/trust/look-up.ts'
import { casesOf } from '../support/series.ts'
import { transportOptions } from '../support/transport-options.ts'

/** Our short cuts past `ssh -G` and `ssh-keygen -F` against those two themselves. */

const run = promisify(execFile)
let directory: string
/** Stands before the real ssh on the PATH and counts how often it is asked. */
let env: Readonly<Record<string, string | undefined>>
/** The same without that. */
const uncounted = { ...process.env, SSH_AUTH_SOCK: '/agent' }

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'converge-config-'))
  const { stdout } = await run('sh', ['-c', 'command -v ssh'])
  await writeFile(join(directory, 'ssh'), `#!/bin/sh\necho "$*" >>${directory}/asked\nexec ${stdout.trim()} "$@"\n`)
  await chmod(join(directory, 'ssh'), 0o755)
  env = { ...uncounted, PATH: `${directory}${delimiter}${process.env['PATH'] ?? ''}` }
})
afterAll(() => rm(directory, { recursive: true, force: true }))

async function asked(): Promise<number> {
  const text = await readFile(join(directory, 'asked'), 'utf8').catch(() => '')
  await rm(join(directory, 'asked'), { force: true })
  return text.split('\n').length - 1
}

async function config(text: string): Promise<string> {
  const file = join(directory, 'config')
  await writeFile(file, text)
  return file
}

const names = ['nas', 'nas.lan', 'box', 'box1', 'box2', '10.0.0.1', '10.0.0.2', '10.1.0.1']

describe('asking OpenSSH about many hosts', () => {
  test.each([
    { name: 'no config at all', text: '', most: 2 },
    { name: 'one block for all', text: 'Host *\n  User op\n  IdentityFile ~/.ssh/id_%h\n', most: 2 },
    { name: 'blocks that distinguish some', text: 'Host 10.*\n  User ann\nHost *\n  User op\n', most: 3 },
  ])('takes few processes with $name', async ({ text, most }) => {
    const sshConfig = await config(text)
    const options = transportOptions({ sshConfig, env })
    await asked()
    await Promise.all(Array.from({ length: 40 }, (_, n) => resolveSettings({ name: `10.0.0.${n}`, sshArgs: [] }, options)))
    expect(await asked()).toBeLessThanOrEqual(most)
  })

  test.each(['nas (old)', '-nas'])('refuses only %s, whatever else is asked', async (odd) => {
    const options = transportOptions({ sshConfig: await config('Host *\n  User op\n'), env })
    await asked()
    const all = [odd, 'box', ...names].map((name) => resolveSettings({ name, sshArgs: [] }, options))
    const [refused, ...others] = await Promise.allSettled(all)
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'CONNECT.SSH_CONFIG' } })
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 'fulfilled'))
    expect(await asked()).toBeLessThanOrEqual(3)
  })

  test('continues with the others when one of them is interrupted', async () => {
    const options = transportOptions({ sshConfig: await config(''), env })
    const gone = { ...options, signal: AbortSignal.abort() }
    const [first, second] = await Promise.allSettled(
      [gone, options].map((own, n) => resolveSettings({ name: `10.0.0.${n}`, sshArgs: [] }, own)),
    )
    expect([first?.status, second?.status]).toEqual(['rejected', 'fulfilled'])
  })

  test('gives each the answer it would get alone', { timeout: 240_000 }, async () => {
    const pattern = fc.constantFrom('*', 'nas', 'nas.*', 'box?', 'box*', '10.0.*', '10.*', '!10.0.0.2', '!nas', '*.lan')
    const setting = fc.constantFrom(
      'User ann',
      'User bob',
      'Port 2222',
      'HostName %h.example',
      'HostName fixed.example',
      'IdentityFile ~/.ssh/id_%h',
      'IdentityFile ~/.ssh/one',
      'IdentitiesOnly yes',
      'ProxyJump bastion',
      'ProxyJump none',
      'ProxyCommand nc %h %p',
      'UserKnownHostsFile ~/.ssh/kh_%h',
      'UserKnownHostsFile ~/.ssh/kh_%p',
      'UserKnownHostsFile ~/.ssh/kh',
      'HostKeyAlias alias-%n',
      'HostKeyAlias alias',
      'StrictHostKeyChecking no',
      'ControlPath ~/.ssh/%r@%h:%p',
      'CertificateFile ~/.ssh/cert',
      'ConnectTimeout 7',
    )
    const block = fc
      .tuple(fc.array(pattern, { minLength: 1, maxLength: 3 }), fc.array(setting, { maxLength: 3 }), fc.boolean())
      .map(([patterns, settings, match]) =>
        [match && patterns.length === 1 ? `Match host ${patterns[0]}` : `Host ${patterns.join(' ')}`, ...settings].join('\n  '),
      )
    await fc.assert(
      fc.asyncProperty(fc.array(block, { maxLength: 4 }), async (blocks) => {
        const sshConfig = await config(`${blocks.join('\n')}\n`)
        const together = transportOptions({ sshConfig, env: uncounted })
        for (const name of names) {
          const destination = { name, sshArgs: [], port: 2022 }
          const alone = await resolveSettings(
            destination,
            transportOptions({ sshConfig: await config(`Match exec true\nHost *\n${blocks.join('\n')}\n`), env: uncounted }),
          )
          await config(`${blocks.join('\n')}\n`)
          expect(await resolveSettings(destination, together)).toEqual(alone)
        }
      }),
      { numRuns: casesOf({ short: 10, long: 100 }) },
    )
  })

  test('follows files that the config includes', async () => {
    await writeFile(join(directory, 'included'), 'Host box\n  User included\n')
    const options = transportOptions({ sshConfig: await config(`Include ${directory}/included\nHost *\n  User op\n`), env })
    const users = await Promise.all(
      ['nas', 'box', 'nas.lan'].map(async (name) => (await resolveSettings({ name, sshArgs: [] }, options)).user),
    )
    expect(users).toEqual(['op', 'included', 'op'])
  })

  test('names the tool when it is missing, and its words when it refuses', async () => {
    const nowhere = transportOptions({ env: { ...process.env, PATH: '/nowhere' } })
    await expect(resolveSettings({ name: 'nas', sshArgs: [] }, nowhere)).rejects.toMatchObject({ code: 'CONNECT.NO_SSH_CLIENT' })
    const broken = transportOptions({ sshConfig: await config('Nonsense yes\n'), env })
    await expect(resolveSettings({ name: 'nas', sshArgs: [] }, broken)).rejects.toMatchObject({
      code: 'CONNECT.SSH_CONFIG',
      why: expect.stringContaining('nonsense'),
    })
  })
})

describe('plain lines of known-hosts files', () => {
  test('never say more than ssh-keygen does', async () => {
    const keys: string[] = []
    for (const name of ['a', 'b', 'c']) {
      await makeKey(join(directory, `key_${name}`))
      keys.push(await publicHalf(join(directory, `key_${name}`)))
    }
    const host = fc.constantFrom('nas', 'box', '[nas]:2222', '*', 'n?s', '!nas', '[*]:2222', 'NAS', '10.0.0.1')
    const line = fc
      .tuple(
        fc.constantFrom('', '', '', '# ', '@revoked ', '@cert-authority '),
        fc.array(host, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(...keys),
        fc.constantFrom('', ' comment'),
      )
      .map(([marker, hosts, key, comment]) => `${marker}${hosts.join(',')} ${key}${comment}`)
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 6 }),
        fc.constantFrom('nas', '[nas]:2222', '10.0.0.1'),
        async (lines, lookup) => {
          const file = join(directory, 'known_hosts')
          await writeFile(file, `${lines.join('\n')}\n`)
          const settings = { lookup, files: [file], strict: 'ask', algorithms: [] }
          const options = { ...transportOptions(), startLimiter: createStartLimiter() }
          const plain = await plainKnownKeys(settings, options)
          const all = await searchKnownKeys(settings, options)
          const trusted = all.trusted.map(({ blob, line: number }) => `${number} ${blob}`)
          for (const key of plain?.trusted ?? []) expect(trusted).toContain(`${key.line} ${key.blob}`)
          // Where they answer, nothing can be revoked.
          expect(plain === undefined ? [] : all.revoked).toEqual([])
        },
      ),
      { numRuns: casesOf({ short: 25, long: 200 }) },
    )
  })
})

describe('the keyword of an option', () => {
  test('is read as ssh reads it, however it is quoted', async () => {
    const pieces = fc.constantFrom('"', '""', '=', ' ', '\t', 'x')
    const inserted = fc.array(fc.tuple(fc.nat({ max: 'Port 2222'.length }), pieces), { maxLength: 4 })
    const written = inserted.map((all) =>
      all.reduce((text, [at, piece]) => text.slice(0, at) + piece + text.slice(at), 'Port 2222'),
    )
    let taken = 0
    await fc.assert(
      fc.asyncProperty(written, async (option) => {
        const answer = await run('ssh', ['-F', 'none', '-G', '-o', option, 'nas']).catch(() => ({ stdout: '' }))
        if (!/^port 2222$/m.test(answer.stdout)) return
        taken += 1
        expect(keywordOf(option)).toBe('port')
      }),
      { numRuns: 100 },
    )
    expect(taken).toBeGreaterThan(5)
  })
})
