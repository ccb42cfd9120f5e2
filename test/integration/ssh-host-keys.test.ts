import { execFile } from 'node:child_process'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type KeyType, makeKey, publicHalf } from '../../simulation/ssh-files.ts'
import { aServer, ask, failure } from '../support/ask-sshd.ts'
import { hasSshd } from '../support/sshd.ts'

/** Who is trusted, as OpenSSH users have it in their known-hosts files, against a real OpenSSH server. */

const run = promisify(execFile)
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
