import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type KeyType, makeKey } from '../../simulation/ssh-files.ts'
import { aServer, ask, failure, writeConfig } from '../support/ask-sshd.ts'
import { hasSshd } from '../support/sshd.ts'

/** Keys, agents and certificates, against a real OpenSSH server. */

const run = promisify(execFile)
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
      '  User another-account',
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
      await vi.waitUntil(() => existsSync(socket), 60_000)
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
      // As ssh, whose `~` is the account's home.
      const below = await writeConfig(sshd, ['Host *', '  IdentityAgent none', '  IdentityFile ~/none-of-that-name'])
      const elsewhere = { ...process.env, HOME: sshd.directory }
      const refused = await failure(ask({ ...sshd.host(), connection }, { env: elsewhere, sshConfig: below }))
      expect(refused.why).toContain(`${userInfo().homedir}/none-of-that-name`)
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
