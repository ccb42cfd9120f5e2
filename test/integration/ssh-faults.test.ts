import { execFile } from 'node:child_process'
import { chmod, copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freePort, makeKey, makeSshFiles, publicHalf } from '../../simulation/ssh-files.ts'
import type { Faults, SshServerOptions } from '../../simulation/ssh-server.ts'
import type { Connection } from '../../src/model/fleet.ts'
import { openTransport } from '../../src/transports/open-transport.ts'
import { createStartLimiter } from '../../src/transports/start-limiter.ts'
import type { Transport } from '../../src/transports/transport.ts'
import type { TransportOptions } from '../../src/transports/transport-options.ts'
import { failure } from '../support/ask-sshd.ts'
import { hostAt } from '../support/host-at.ts'
import { type SshServer, startSshServer } from '../support/ssh-server.ts'
import { script, transportOptions } from '../support/transport-options.ts'

/** Faults that a real server cannot be made to have, or not at the right moment. */

const kinds = ['ssh', 'openssh'] as const

function open(
  server: SshServer,
  connection: Partial<Connection> = {},
  options: Partial<TransportOptions> = {},
): Promise<Transport> {
  return openTransport(server.host('nas', connection), transportOptions({ sshConfig: server.sshConfig, ...options }))
}

describe.each(kinds)('connecting with %s', (transport) => {
  test.each<{ code: string; faults: Faults; connectTimeoutMs?: number }>([
    { code: 'CONNECT.TIMEOUT', faults: { silent: true }, connectTimeoutMs: 700 },
    { code: 'CONNECT.TIMEOUT', faults: { slowLoginMs: 3_000 }, connectTimeoutMs: 1_000 },
    { code: 'CONNECT.RESET', faults: { hangUp: true } },
    { code: 'CONNECT.AUTH_FAILED', faults: { refuseLogin: true } },
  ])('says $code when the server has $faults', async ({ code, faults, connectTimeoutMs = 10_000 }) => {
    await using server = await startSshServer({ faults })
    const error = await failure(open(server, { transport }, { connectTimeoutMs }))
    expect(error.code).toBe(code)
    expect(error.why).toContain('nas')
    expect(error.next.length).toBeGreaterThan(0)
  })

  test('says CONNECT.REFUSED when nothing listens', async () => {
    const host = hostAt('nas', { transport, port: await freePort(), privateKeyFile: await aKey() })
    expect(await failure(openTransport(host, transportOptions({ sshConfig: '/dev/null' })))).toMatchObject({
      code: 'CONNECT.REFUSED',
    })
  })

  test('says CONNECT.DNS for an unknown name', async () => {
    const host = hostAt('nas', { transport, address: 'no-such-host.invalid', privateKeyFile: await aKey() })
    const error = await failure(openTransport(host, transportOptions({ sshConfig: '/dev/null' })))
    expect(error).toMatchObject({ code: 'CONNECT.DNS', why: expect.stringContaining('no-such-host.invalid') })
  })

  test('refuses a host key that is not known, and writes nothing', async () => {
    for (const strict of ['ask', 'no', 'accept-new']) {
      await using server = await startSshServer({ clientConfig: [`StrictHostKeyChecking ${strict}`] })
      await writeFile(server.knownHosts, '')
      expect((await failure(open(server, { transport }))).code).toBe('CONNECT.HOST_KEY_UNKNOWN')
      expect(await readFile(server.knownHosts, 'utf8')).toBe('')
      expect(server.connections.flatMap(({ offered }) => offered)).toEqual([])
    }
  })

  test('refuses a host key that has changed', async () => {
    await using server = await startSshServer()
    const other = await aKey()
    await writeFile(server.knownHosts, `# a comment\n[127.0.0.1]:${server.port} ${await publicHalf(other)}\n`)
    const error = await failure(open(server, { transport }))
    expect(error).toMatchObject({ code: 'CONNECT.HOST_KEY_CHANGED', why: expect.stringContaining(`${server.knownHosts}:2`) })
    expect(error.next.join()).toContain(`ssh-keygen`)
    expect(server.connections.flatMap(({ offered }) => offered)).toEqual([])
  })

  test('refuses a host key that is revoked, although it is also trusted', async () => {
    await using server = await startSshServer()
    await writeFile(server.knownHosts, `[127.0.0.1]:${server.port} ${server.hostKey}\n@revoked * ${server.hostKey}\n`)
    expect((await failure(open(server, { transport }))).code).toBe('CONNECT.HOST_KEY_REVOKED')
  })

  test('gives up at once when the attempt is aborted', async () => {
    await using server = await startSshServer({ faults: { silent: true } })
    const abort = new AbortController()
    const attempt = open(server, { transport }, { signal: abort.signal })
    setTimeout(() => abort.abort(new Error('interrupted')), 300)
    await expect(attempt).rejects.toThrow('interrupted')
  })
})

describe('errors of the built-in client', () => {
  test('name fingerprint, files and the command that fixes an unknown key', async () => {
    await using server = await startSshServer()
    await writeFile(server.knownHosts, '')
    const error = await failure(open(server))
    const shown = await fingerprintOf(server.hostKeyFile)
    expect(error.why).toContain(shown)
    expect(error.why).toContain(server.knownHosts)
    expect(error.next.join('\n')).toContain(`ssh-keyscan -p ${server.port} 127.0.0.1 >> ${server.knownHosts}`)
  })

  test.each([
    ['no', /disables StrictHostKeyChecking/],
    ['accept-new', /accept-new/],
  ])('explain why StrictHostKeyChecking %s is not followed', async (strict, words) => {
    await using server = await startSshServer({ clientConfig: [`StrictHostKeyChecking ${strict}`] })
    await writeFile(server.knownHosts, '')
    expect((await failure(open(server))).why).toMatch(words)
  })

  test('name the user and the one key that was offered', async () => {
    await using server = await startSshServer()
    const error = await failure(open(server, { user: 'nobody' }))
    expect(error).toMatchObject({ code: 'CONNECT.AUTH_FAILED', why: expect.stringContaining('did not let user nobody in') })
    expect(error.why).toContain(`Offered: ${server.keyFile}.`)
    expect(server.connections.map(({ offered }) => offered.length)).toEqual([1])
  })

  test('recognise a server that is no SSH server', async () => {
    await using server = await startSshServer({ faults: { greeting: 'HTTP/1.1 400 Bad Request\r\n\r\n'.repeat(20) } })
    expect((await failure(open(server, {}, { connectTimeoutMs: 2_000 }))).code).toMatch(/CONNECT\.(HANDSHAKE|TIMEOUT|RESET)/)
  })

  test.each<{ what: string; prepare: (path: string) => Promise<unknown>; code: string; words: RegExp }>([
    { what: 'is missing', prepare: (path) => rm(path), code: 'CONNECT.KEY_FILE', words: /does not exist/ },
    { what: 'can be read by others', prepare: (path) => chmod(path, 0o644), code: 'CONNECT.KEY_FILE', words: /other users/ },
    { what: 'is no key', prepare: (path) => writeFile(path, 'hello\n'), code: 'CONNECT.KEY_FILE', words: /no private key/ },
    { what: 'is a public key', prepare: (path) => copyFile(`${path}.pub`, path), code: 'CONNECT.KEY_FILE', words: /public key/ },
    {
      what: 'is encrypted',
      prepare: async (path) => {
        await rm(path)
        await makeKey(path, 'ed25519', 'passphrase')
      },
      code: 'CONNECT.KEY_ENCRYPTED',
      words: /is encrypted and no agent holds it/,
    },
  ])('report that a key file $what, without connecting', async ({ prepare, code, words }) => {
    await using server = await startSshServer()
    const key = await aKey()
    await prepare(key)
    expect(await failure(open(server, { privateKeyFile: key }))).toMatchObject({ code, why: expect.stringMatching(words) })
    expect(server.connections).toEqual([])
  })
})

describe('a connection that breaks', () => {
  test.each<{ faults: Faults; words: RegExp }>([
    { faults: { dropOn: 'exec' }, words: /before 'a test script' started/ },
    { faults: { dropOn: 'first-output' }, words: /while 'a test script' was running\. Its outcome is unknown/ },
  ])('$faults is reported as such', async ({ faults, words }) => {
    await using server = await startSshServer({ faults })
    const transport = await open(server)
    const error = await failure(transport.exec(script('echo one; sleep 2; echo two')))
    expect(error).toMatchObject({ code: 'CONNECT.LOST', why: expect.stringMatching(words) })
  })

  test('after a result does not spoil the result, and the next script is not sent', async () => {
    await using server = await startSshServer({ faults: { dropOn: 'end' } })
    const transport = await open(server)
    expect(await transport.exec(script('echo done'))).toMatchObject({ exitCode: 0, stdout: 'done\n' })
    // Before that, the next script may come first.
    await expect.poll(() => server.connections[0]?.closed).toBe(true)
    await expect
      .poll(async () => (await failure(transport.exec(script('echo again')))).why)
      .toMatch(/already gone.*nothing was sent/)
    expect(server.connections.flatMap(({ execs }) => execs)).toHaveLength(1)
    expect(await failure(transport.forward(1))).toMatchObject({ code: 'CONNECT.LOST' })
  })

  test('takes every script with it that is running, and no other host', async () => {
    await using server = await startSshServer()
    await using other = await startSshServer()
    const [transport, elsewhere] = await Promise.all([open(server), open(other)])
    const running = [1, 2, 3].map(() => failure(transport.exec(script('sleep 5'))))
    const fine = elsewhere.exec(script('sleep 1; echo fine'))
    await expect.poll(() => server.connections.flatMap(({ execs }) => execs)).toHaveLength(3)
    server.dropConnections()
    expect((await Promise.all(running)).map(({ code }) => code)).toEqual(['CONNECT.LOST', 'CONNECT.LOST', 'CONNECT.LOST'])
    expect(await fine).toMatchObject({ stdout: 'fine\n' })
    await elsewhere.close()
  })

  test('is noticed when a channel ends without a word', async () => {
    await using server = await startSshServer({ faults: { mute: true }, loginShell: ['/bin/sh', '-c', 'exit 0', 'sh'] })
    expect(await failure((await open(server)).exec(script('true')))).toMatchObject({ code: 'CONNECT.LOST' })
  })
})

describe('a login shell', () => {
  test('may print what it likes when it starts', async () => {
    await using server = await startSshServer(shellThat('echo welcome; echo "you have mail" >&2; head -c 100000 /dev/zero'))
    const transport = await open(server)
    expect(await transport.exec(script('echo out; echo err >&2'))).toMatchObject({ stdout: 'out\n', stderr: 'err\n' })
    await transport.close()
  })

  test('that ends at once is reported with what it said', async () => {
    await using server = await startSshServer({
      loginShell: ['/bin/sh', '-c', 'echo "This account is currently not available."; exit 1', 'nologin'],
    })
    const transport = await open(server)
    const error = await failure(transport.exec(script('true')))
    expect(error).toMatchObject({ code: 'CONNECT.SHELL', why: expect.stringContaining('currently not available') })
    await transport.close()
  })
})

test.each([
  ['prints nothing is reported as slow, with the time that was waited', 'sleep 20', 1000, 'CONNECT.SLOW', 'within 1 s'],
  ['prints something is no shell', 'echo choose a menu; sleep 20', 5000, 'CONNECT.SHELL', 'choose a menu'],
])('a login shell that does not start in time and %s', async (_, start, startMs, code, why) => {
  await using server = await startSshServer({ loginShell: ['/bin/sh', '-c', start, 'slow'] })
  const transport = await open(server)
  const error = await failure(transport.exec({ ...script('true'), startMs }))
  expect(error).toMatchObject({ code, why: expect.stringContaining(why) })
  await transport.close()
})

describe('what a server sees of a run', () => {
  test('is one connection, one login with one key and one exec for each host', async () => {
    const addresses = [1, 2, 3, 4, 5].map((n) => `127.0.1.${n}`)
    await using server = await startSshServer({ addresses })
    const options = transportOptions({ sshConfig: server.sshConfig })
    await Promise.all(
      addresses.map(async (address) => {
        const transport = await openTransport(server.host(address, { address }), options)
        expect(await transport.exec(script('echo "$SSH_CONNECTION$0"'))).toMatchObject({ exitCode: 0 })
        await transport.close()
      }),
    )
    expect(server.connections.map(({ address }) => address).toSorted()).toEqual(addresses)
    expect(server.connections.map(({ execs, offered, loggedIn }) => [execs.length, offered.length, loggedIn])).toEqual(
      addresses.map(() => [1, 1, true]),
    )
  })

  test('is no more connections being opened at a time than allowed', async () => {
    const addresses = Array.from({ length: 12 }, (_, n) => `127.0.2.${n + 1}`)
    await using server = await startSshServer({ addresses, faults: { slowLoginMs: 50 } })
    const options = transportOptions({ sshConfig: server.sshConfig, startLimiter: createStartLimiter(3) })
    let most = 0
    const watch = setInterval(() => {
      most = Math.max(most, server.connections.filter(({ loggedIn }) => !loggedIn).length)
    }, 5)
    const transports = await Promise.all(addresses.map((address) => openTransport(server.host(address, { address }), options)))
    clearInterval(watch)
    await Promise.all(transports.map((transport) => transport.close()))
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThanOrEqual(3)
  })

  test('is no secret and no argument of a script on a command line', async () => {
    await using server = await startSshServer()
    const transport = await open(server)
    await transport.exec(script('echo the-text', { args: ['the-argument'] }))
    await transport.close()
    expect(server.connections.flatMap(({ execs }) => execs).join()).not.toMatch(/the-text|the-argument/)
  })
})

function shellThat(startsWith: string): SshServerOptions {
  return { loginShell: ['/bin/sh', '-c', `${startsWith}; eval "$1"`, 'sh'] }
}

/** A key that no server of these tests knows. */
async function aKey(): Promise<string> {
  const { directory } = await makeSshFiles()
  onTestFinished(() => rm(directory, { recursive: true }))
  const path = join(directory, 'foreign')
  await makeKey(path)
  return path
}

async function fingerprintOf(keyFile: string): Promise<string> {
  const { stdout } = await promisify(execFile)('ssh-keygen', ['-lf', `${keyFile}.pub`])
  return stdout.split(' ')[1] ?? ''
}
