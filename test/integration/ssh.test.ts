import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import type { Host } from '../../src/model/fleet.ts'
import { openTransport } from '../../src/transports/open-transport.ts'
import type { TransportOptions } from '../../src/transports/transport-options.ts'
import { freePort, type KeyType, makeKey, publicHalf } from '../support/ssh-files.ts'
import { hasSshd, type Sshd, type SshdOptions, startSshd } from '../support/sshd.ts'
import { script, transportOptions } from '../support/transport-options.ts'

/** What OpenSSH users have in their configs, against a real OpenSSH server. */

const run = promisify(execFile)

/** Runs one script there; its output, what a person was told, and which transport it was. */
async function ask(
  host: Host,
  options: Partial<TransportOptions>,
  text = 'echo here',
): Promise<{ stdout: string; notices: readonly string[] }> {
  const all = transportOptions(options)
  const transport = await openTransport(host, all)
  try {
    return { stdout: (await transport.exec(script(text))).stdout, notices: all.notices }
  } finally {
    await transport.close()
  }
}

async function failure(attempt: Promise<unknown>): Promise<ConvergeError> {
  const error: unknown = await attempt.then(
    () => new Error('it worked'),
    (reason: unknown) => reason,
  )
  if (error instanceof ConvergeError) return error
  throw error
}

async function aServer(options: SshdOptions = {}): Promise<Sshd> {
  const sshd = await startSshd(options)
  onTestFinished(() => sshd.stop())
  return sshd
}

async function writeConfig(sshd: Sshd, lines: readonly string[]): Promise<string> {
  const file = join(sshd.directory, 'own_config')
  await writeFile(file, `${lines.join('\n')}\n`)
  return file
}

describe.skipIf(!hasSshd)('host keys', () => {
  test.each<KeyType>(['ed25519', 'ecdsa', 'rsa'])('of type %s are verified', async (hostKeyType) => {
    const sshd = await aServer({ hostKeyType })
    expect(await ask(sshd.host(), sshd)).toMatchObject({ stdout: 'here\n', notices: [] })
  })

  test('the known one of several is asked for', async () => {
    const sshd = await aServer()
    const rsa = join(sshd.directory, 'host_rsa')
    await makeKey(rsa, 'rsa')
    const both = await aServer({ config: [`HostKey ${rsa}`] })
    await writeFile(both.knownHosts, `[127.0.0.1]:${both.port} ${await publicHalf(rsa)}\n`)
    expect(await ask(both.host(), both)).toMatchObject({ stdout: 'here\n' })
  })

  test('are found under hashed names', async () => {
    const sshd = await aServer()
    await run('ssh-keygen', ['-H', '-f', sshd.knownHosts])
    expect(await readFile(sshd.knownHosts, 'utf8')).toMatch(/^\|1\|/)
    expect(await ask(sshd.host(), sshd)).toMatchObject({ stdout: 'here\n' })
    await writeFile(sshd.knownHosts, `[127.0.0.1]:1 ${sshd.hostKey}\n`)
    await run('ssh-keygen', ['-H', '-f', sshd.knownHosts])
    expect((await failure(ask(sshd.host(), sshd))).code).toBe('CONNECT.HOST_KEY_UNKNOWN')
  })

  test('are found under wildcards, and a negation counts', async () => {
    const sshd = await aServer()
    await writeFile(sshd.knownHosts, `[127.0.0.*]:${sshd.port} ${sshd.hostKey}\n`)
    expect(await ask(sshd.host(), sshd)).toMatchObject({ stdout: 'here\n' })
    await writeFile(sshd.knownHosts, `[127.0.0.*]:${sshd.port},![127.0.0.1]:${sshd.port} ${sshd.hostKey}\n`)
    expect((await failure(ask(sshd.host(), sshd))).code).toBe('CONNECT.HOST_KEY_UNKNOWN')
  })

  test('are found under an alias', async () => {
    const sshd = await aServer({ clientConfig: ['HostKeyAlias alias-of-%h'] })
    await writeFile(sshd.knownHosts, `alias-of-127.0.0.1 ${sshd.hostKey}\n`)
    expect(await ask(sshd.host(), sshd)).toMatchObject({ stdout: 'here\n' })
  })

  test('an old key beside the right one does no harm; a changed one alone does', async () => {
    const sshd = await aServer()
    const other = join(sshd.directory, 'other')
    await makeKey(other)
    const stale = `[127.0.0.1]:${sshd.port} ${await publicHalf(other)}\n`
    await writeFile(sshd.knownHosts, `${stale}[127.0.0.1]:${sshd.port} ${sshd.hostKey}\n`)
    expect(await ask(sshd.host(), sshd)).toMatchObject({ stdout: 'here\n' })
    // The right key stands under a hashed name, which only ssh-keygen can read.
    await writeFile(sshd.knownHosts, `[127.0.0.1]:${sshd.port} ${sshd.hostKey}\n`)
    await run('ssh-keygen', ['-H', '-f', sshd.knownHosts])
    await appendFile(sshd.knownHosts, stale)
    expect(await ask(sshd.host(), sshd)).toMatchObject({ stdout: 'here\n' })
    await writeFile(sshd.knownHosts, stale)
    expect((await failure(ask(sshd.host(), sshd))).code).toBe('CONNECT.HOST_KEY_CHANGED')
  })

  test('that only an authority vouches for are left to your own ssh', async () => {
    const sshd = await aServer()
    const authority = join(sshd.directory, 'ca')
    await makeKey(authority)
    await run('ssh-keygen', ['-q', '-s', authority, '-I', 'host', '-h', '-n', '127.0.0.1', `${sshd.hostKeyFile}.pub`])
    const certified = await aServer({ config: [`HostKey ${sshd.hostKeyFile}`, `HostCertificate ${sshd.hostKeyFile}-cert.pub`] })
    await writeFile(certified.knownHosts, `@cert-authority * ${await publicHalf(authority)}\n`)
    const { stdout, notices } = await ask(certified.host(), certified)
    expect(stdout).toBe('here\n')
    expect(notices.join()).toMatch(/your own ssh.*certificate authority/)
  })
})

describe.skipIf(!hasSshd)('logging in', () => {
  test.each<KeyType>(['ecdsa', 'rsa'])('works with a key of type %s', async (type) => {
    const sshd = await aServer()
    const key = join(sshd.directory, 'another')
    await makeKey(key, type)
    await appendFile(join(sshd.directory, 'authorized_keys'), await readFile(`${key}.pub`, 'utf8'))
    expect(await ask(sshd.host({ privateKeyFile: key }), sshd)).toMatchObject({ stdout: 'here\n', notices: [] })
  })

  test('takes user, port, key and the rest from the ssh config', async () => {
    const sshd = await aServer()
    const config = await writeConfig(sshd, [
      'Host studio',
      '  HostName 127.0.0.1',
      `  Port ${sshd.port}`,
      `  User ${sshd.user}`,
      `  IdentityFile ${sshd.directory}/%r_does_not_exist`,
      `  IdentityFile ${sshd.keyFile}`,
      '  IdentitiesOnly yes',
      'Host *',
      `  UserKnownHostsFile ${sshd.knownHosts}`,
      '  GlobalKnownHostsFile none',
      '  User somebody-else',
    ])
    const plain = sshd.host()
    const host = { ...plain, connection: { ...plain.connection, address: 'studio' } }
    const { port: _port, user: _user, privateKeyFile: _key, ...connection } = host.connection
    expect(await ask({ ...host, connection }, { sshConfig: config })).toMatchObject({ stdout: 'here\n' })
    // What the inventory says wins over the config.
    const error = await failure(ask({ ...host, connection: { ...connection, user: 'nobody' } }, { sshConfig: config }))
    expect(error).toMatchObject({ code: 'CONNECT.AUTH_FAILED', why: expect.stringContaining('user nobody') })
  })

  test('takes extra ssh arguments from the inventory', async () => {
    const sshd = await aServer()
    await rm(sshd.knownHosts)
    const elsewhere = join(sshd.directory, 'elsewhere')
    await writeFile(elsewhere, `[127.0.0.1]:${sshd.port} ${sshd.hostKey}\n`)
    const host = sshd.host({ sshArgs: ['-o', `UserKnownHostsFile=${elsewhere}`] })
    expect(await ask(host, sshd)).toMatchObject({ stdout: 'here\n' })
  })

  describe('with an agent', () => {
    let socket: string
    let agent: ReturnType<typeof spawn>
    let directory: string

    beforeAll(async () => {
      directory = await mkdtemp('/tmp/converge-agent-')
      socket = join(directory, 'agent')
      agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' })
      await vi.waitUntil(() => existsSync(socket))
    })
    afterAll(async () => {
      agent.kill()
      await rm(directory, { recursive: true, force: true })
    })

    test('opens an encrypted key that the agent holds, and offers no other key of it', async () => {
      const sshd = await aServer()
      const key = join(sshd.directory, 'locked')
      await makeKey(key)
      for (const name of ['stray1', 'stray2']) {
        await makeKey(join(sshd.directory, name))
        await run('ssh-add', ['-q', join(sshd.directory, name)], { env: { ...process.env, SSH_AUTH_SOCK: socket } })
      }
      await run('ssh-add', ['-q', key], { env: { ...process.env, SSH_AUTH_SOCK: socket } })
      await run('ssh-keygen', ['-q', '-p', '-N', 'passphrase', '-P', '', '-f', key])
      await appendFile(join(sshd.directory, 'authorized_keys'), await readFile(`${key}.pub`, 'utf8'))
      const env = { ...process.env, SSH_AUTH_SOCK: socket }
      expect(await ask(sshd.host({ privateKeyFile: key }), { ...sshd, env })).toMatchObject({ stdout: 'here\n', notices: [] })
      expect(await sshd.log()).not.toMatch(/Failed publickey/)
    })

    test('finds its keys without any configuration', async () => {
      const sshd = await aServer()
      await run('ssh-add', ['-q', '-D'], { env: { ...process.env, SSH_AUTH_SOCK: socket } })
      await run('ssh-add', ['-q', sshd.keyFile], { env: { ...process.env, SSH_AUTH_SOCK: socket } })
      const { privateKeyFile: _, ...connection } = sshd.host().connection
      const env = { ...process.env, SSH_AUTH_SOCK: socket }
      expect(await ask({ ...sshd.host(), connection }, { ...sshd, env })).toMatchObject({ stdout: 'here\n' })
      const config = await writeConfig(sshd, [
        'Host *',
        `  UserKnownHostsFile ${sshd.knownHosts}`,
        '  IdentityAgent none',
        `  IdentityFile ${sshd.directory}/nothing`,
      ])
      expect((await failure(ask({ ...sshd.host(), connection }, { env, sshConfig: config }))).code).toBe('CONNECT.NO_KEY')
    })
  })

  test('with a certificate is left to your own ssh', async () => {
    const sshd = await aServer()
    const authority = join(sshd.directory, 'ca')
    await makeKey(authority)
    const certified = await aServer({ config: [`TrustedUserCAKeys ${authority}.pub`] })
    const key = join(certified.directory, 'user')
    await makeKey(key)
    await run('ssh-keygen', ['-q', '-s', authority, '-I', 'user', '-n', certified.user, `${key}.pub`])
    const { stdout, notices } = await ask(certified.host({ privateKeyFile: key }), certified)
    expect(stdout).toBe('here\n')
    expect(notices.join()).toMatch(/your own ssh.*certificate/)
  })
})

describe.skipIf(!hasSshd)('the way to a host', () => {
  test('leads through jump hosts one after the other, each verified', async () => {
    const [first, second, target] = await Promise.all([aServer(), aServer(), aServer()])
    const config = await jumpConfig(target, [first, second])
    expect(await ask(throughConfig(target), { sshConfig: config })).toMatchObject({ stdout: 'here\n' })
    expect(await first.log()).toMatch(/Accepted publickey/)
    expect(await second.log()).toMatch(/Accepted publickey/)
    await writeFile(second.knownHosts, '')
    expect(await failure(ask(throughConfig(target), { sshConfig: config }))).toMatchObject({
      code: 'CONNECT.HOST_KEY_UNKNOWN',
      why: expect.stringContaining('jump host second'),
    })
  })

  test('shares one connection to a jump host, and lets go of it in the end', async () => {
    const [first, target] = await Promise.all([aServer(), aServer({ listen: '0.0.0.0' })])
    const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4']
    await writeFile(target.knownHosts, addresses.map((address) => `[${address}]:${target.port} ${target.hostKey}\n`).join(''))
    const config = await jumpConfig(target, [first])
    const options = transportOptions({ sshConfig: config })
    const open = () =>
      Promise.all(addresses.map((address) => openTransport(target.host({ address, sshArgs: ['-J', 'first'] }), options)))
    const transports = await open()
    const results = await Promise.all(transports.map((transport) => transport.exec(script('echo here'))))
    expect(results.map(({ stdout }) => stdout)).toEqual(addresses.map(() => 'here\n'))
    expect((await first.log()).match(/Accepted publickey/g)).toHaveLength(1)
    await Promise.all(transports.map((transport) => transport.close()))
    await expect.poll(async () => await first.log(), { timeout: 5_000 }).toMatch(/Disconnected from/)
    await Promise.all((await open()).map((transport) => transport.close()))
    expect((await first.log()).match(/Accepted publickey/g)).toHaveLength(2)
  })

  test('is told with its jump host when that refuses to go on', async () => {
    const [first, target] = await Promise.all([aServer({ config: ['AllowTcpForwarding no'] }), aServer()])
    const config = await jumpConfig(target, [first])
    expect(await failure(ask(throughConfig(target), { sshConfig: config }))).toMatchObject({
      code: 'CONNECT.PROXY',
      why: expect.stringContaining('jump host first'),
    })
  })

  test('that leads in a circle is an error, not a hang', async () => {
    const sshd = await aServer()
    const config = await writeConfig(sshd, [
      'Host *',
      '  ProxyJump first',
      `  IdentityFile ${sshd.keyFile}`,
      `  UserKnownHostsFile ${sshd.knownHosts}`,
    ])
    expect(await failure(ask(sshd.host(), { sshConfig: config }))).toMatchObject({
      code: 'CONNECT.SSH_CONFIG',
      why: expect.stringContaining('leads through itself'),
    })
  })

  test('may be a command', async () => {
    const target = await aServer()
    const program = `${process.execPath} -e "const s=require('net').connect(+process.argv[1],'%h');process.stdin.pipe(s).pipe(process.stdout)" %p`
    const config = await writeConfig(target, ['Host *', `  UserKnownHostsFile ${target.knownHosts}`, `  ProxyCommand ${program}`])
    expect(await ask(target.host(), { sshConfig: config })).toMatchObject({ stdout: 'here\n' })
    const broken = await writeConfig(target, [
      'Host *',
      `  UserKnownHostsFile ${target.knownHosts}`,
      '  ProxyCommand sh -c "echo no way >&2; exit 9"',
    ])
    expect(await failure(ask(target.host(), { sshConfig: broken }))).toMatchObject({
      code: 'CONNECT.PROXY',
      why: expect.stringContaining('no way'),
    })
  })

  test('to a port of the host may be forbidden', async () => {
    const web = createServer((_, answer) => answer.end()).listen(await freePort(), '127.0.0.1')
    onTestFinished(() => void web.close())
    for (const kind of ['ssh', 'openssh'] as const) {
      const sshd = await aServer({ config: ['AllowTcpForwarding no'] })
      const transport = await openTransport(sshd.host({ transport: kind }), transportOptions(sshd))
      expect(await failure(transport.forward(1))).toMatchObject({ code: 'CONNECT.FORWARD_PROHIBITED' })
      expect(await transport.exec(script('echo fine'))).toMatchObject({ stdout: 'fine\n' })
      await transport.close()
    }
  })
})

describe.skipIf(!hasSshd)('a real server', () => {
  test('with few sessions still runs all scripts', async () => {
    const sshd = await aServer({ config: ['MaxSessions 2'] })
    const transport = await openTransport(sshd.host(), transportOptions(sshd))
    const results = await Promise.all(Array.from({ length: 12 }, (_, n) => transport.exec(script(`echo ${n}`))))
    expect(results.map(({ stdout }) => Number(stdout))).toEqual(Array.from({ length: 12 }, (_, n) => n))
    for (const n of [1, 2, 3, 4, 5]) expect(await transport.exec(script(`echo ${n}`))).toMatchObject({ stdout: `${n}\n` })
    await transport.close()
  })

  test.each(['ssh', 'openssh'] as const)('that goes away in the middle is told (%s)', async (kind) => {
    const sshd = await aServer()
    const transport = await openTransport(sshd.host({ transport: kind }), transportOptions(sshd))
    const lost = failure(transport.exec(script('sleep 5')))
    setTimeout(() => void sshd.dropConnections(), 600)
    expect(await lost).toMatchObject({ code: 'CONNECT.LOST', why: expect.stringContaining('outcome is unknown') })
    expect(await failure(transport.exec(script('true')))).toMatchObject({ code: 'CONNECT.LOST' })
    await transport.close()
  })

  test('that falls silent is given up after a few unanswered questions', async () => {
    const sshd = await aServer({ clientConfig: ['ServerAliveInterval 1', 'ServerAliveCountMax 2'] })
    const transport = await openTransport(sshd.host(), transportOptions(sshd))
    const lost = failure(transport.exec(script('sleep 30', { timeoutMs: 60_000 })))
    setTimeout(() => void sshd.freezeConnections(), 500)
    expect(await lost).toMatchObject({ code: 'CONNECT.LOST', why: expect.stringContaining('Keepalive timeout') })
    await transport.close()
  })

  test('that falls silent after its time is given up too', async () => {
    const sshd = await aServer()
    const transport = await openTransport(sshd.host(), transportOptions(sshd))
    const lost = failure(transport.exec(script('sleep 30', { timeoutMs: 1_500 })))
    setTimeout(() => void sshd.freezeConnections(), 500)
    expect(await lost).toMatchObject({ code: 'CONNECT.LOST', why: expect.stringContaining('nothing came back') })
    await transport.close()
  })

  test('goes on with a script whose connection is gone, until its time is up', async () => {
    const sshd = await aServer()
    const transport = await openTransport(sshd.host(), transportOptions(sshd))
    const done = join(sshd.directory, 'done')
    const text = 'echo $$ >"$1.pid"; sleep 1; echo done >"$1"; exec sleep 60'
    const lost = failure(transport.exec(script(text, { args: [done], timeoutMs: 2_000 })))
    await expect.poll(() => existsSync(`${done}.pid`)).toBe(true)
    await sshd.dropConnections()
    expect((await lost).code).toBe('CONNECT.LOST')
    await expect.poll(() => existsSync(done), { timeout: 5_000 }).toBe(true)
    const pid = (await readFile(`${done}.pid`, 'utf8')).trim()
    // Two seconds and the margin of the host's own timer.
    await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 12_000, interval: 200 }).toBe(false)
  })

  const installed = ['/bin/bash', '/bin/dash', '/bin/zsh', '/usr/bin/fish', '/bin/tcsh', '/bin/csh', '/bin/ksh'].filter((path) =>
    existsSync(path),
  )
  test.each(installed)('may have %s as login shell', async (shell) => {
    const sshd = await aServer({ config: [`ForceCommand ${shell} -c "$SSH_ORIGINAL_COMMAND"`] })
    expect(await ask(sshd.host(), sshd, `echo "it's" $((6 * 7)) '!'`)).toMatchObject({ stdout: "it's 42 !\n" })
  })

  test('whose /bin/sh is busybox or bash runs the same scripts', async () => {
    for (const shell of ['/bin/busybox sh', '/bin/bash --posix'].filter((line) => existsSync(line.split(' ')[0] ?? ''))) {
      const sshd = await aServer({
        config: [`ForceCommand ${shell} -c "$(printf %s "$SSH_ORIGINAL_COMMAND" | sed 's|/bin/sh|${shell}|g')"`],
      })
      const transport = await openTransport(sshd.host(), transportOptions(sshd))
      expect(await transport.exec(script('echo "$1"; exit 4', { args: ['a b'] }))).toMatchObject({ stdout: 'a b\n', exitCode: 4 })
      expect(await transport.exec(script('sleep 60', { timeoutMs: 300 }))).toMatchObject({ timedOut: true })
      await transport.close()
    }
  })
})

/** An own ssh config in which `target` is reached through the others, named first, second, … */
async function jumpConfig(target: Sshd, hops: readonly Sshd[]): Promise<string> {
  const names = ['first', 'second', 'third']
  const lines = hops.flatMap((hop, index) => [
    `Host ${names[index]}`,
    '  HostName 127.0.0.1',
    `  Port ${hop.port}`,
    `  UserKnownHostsFile ${hop.knownHosts}`,
    `  IdentityFile ${hop.keyFile}`,
  ])
  const last = ['Host target', '  HostName 127.0.0.1', `  ProxyJump ${names.slice(0, hops.length).join(',')}`]
  return writeConfig(target, [
    ...lines,
    ...last,
    'Host *',
    `  UserKnownHostsFile ${target.knownHosts}`,
    '  GlobalKnownHostsFile none',
  ])
}

function throughConfig(target: Sshd): Host {
  return target.host({ address: 'target' })
}
