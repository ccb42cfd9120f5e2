import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Connection } from '../../src/model/fleet.ts'
import { Secret } from '../../src/model/secret.ts'
import { openTransport } from '../../src/transports/open-transport.ts'
import type { Transport } from '../../src/transports/transport.ts'
import { failure } from '../support/ask-sshd.ts'
import { hostAt } from '../support/host-at.ts'
import { script, transportOptions } from '../support/transport-options.ts'
import { type LabHost, mustExec } from './host.ts'
import { labHost, noLab } from './lab-hosts.ts'

/** Becoming another user, against the sudo of Debian 12 (`box`) and of Debian 13 (`nas`), which gives every command a terminal of its own. */

const elevated = { elevate: true }

function open(lab: LabHost, connection: Partial<Connection>, password = 'pw-password'): Promise<Transport> {
  const { address, port, keyFile: privateKeyFile, sshConfigFile } = lab
  const own = { address, port, privateKeyFile, become: true, ...connection }
  const resolveSecret = () => Promise.resolve(new Secret(password, 'test'))
  return openTransport(hostAt(lab.name, own), transportOptions({ sshConfig: sshConfigFile, resolveSecret }))
}

async function opened(lab: LabHost, connection: Partial<Connection>, password?: string): Promise<Transport> {
  const transport = await open(lab, connection, password)
  onTestFinished(() => transport.close())
  return transport
}

const withPassword = { user: 'pw', becomePassword: { env: 'SUDO' } } as const

describe.skipIf(noLab).each(['box', 'nas'])('sudo on %s', (name) => {
  test('is used for the scripts that ask for it, and for no other', async () => {
    const transport = await opened(labHost(name), { user: 'op' })
    const who = 'id -un; echo "$HOME"; echo "${SUDO_USER-none}"; echo "$1"; echo err >&2; cat; exit 3'
    const args = [`it's "$HOME"`]
    expect(await transport.exec(script(who, { args, ...elevated }))).toMatchObject({
      stdout: `root\n/root\nop\nit's "$HOME"\n`,
      stderr: 'err\n',
      exitCode: 3,
    })
    expect(await transport.exec(script(who, { args }))).toMatchObject({
      stdout: `op\n/home/op\nnone\nit's "$HOME"\n`,
      exitCode: 3,
    })
  })

  test('is not used where the login user is the one to become', async () => {
    const transport = await opened(labHost(name), { user: 'root', becomePassword: { env: 'SUDO' } })
    expect(await transport.exec(script('id -un; echo "${SUDO_USER-none}"', elevated))).toMatchObject({ stdout: 'root\nnone\n' })
    const same = await opened(labHost(name), { user: 'op', becomeUser: 'op' })
    expect(await same.exec(script('id -un; echo "${SUDO_USER-none}"', elevated))).toMatchObject({ stdout: 'op\nnone\n' })
  })

  test('becomes a user other than root too', async () => {
    const transport = await opened(labHost(name), { user: 'op', becomeUser: 'pw' })
    expect(await transport.exec(script('id -un; echo "$HOME"', elevated))).toMatchObject({ stdout: 'pw\n/home/pw\n' })
  })

  test('gets the password when it asks, and the script only afterwards', async () => {
    const transport = await opened(labHost(name), withPassword)
    const text = 'id -un; cat; ps -A -ww -o args; cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n"'
    const result = await transport.exec(script(text, elevated))
    expect(result.stdout).toMatch(/^root\n/)
    expect(result.stdout + result.stderr).not.toContain('pw-password')
    // A second time too: converge does not rely on sudo's own memory.
    expect(await transport.exec(script('echo "$1"', { args: ['again'], ...elevated }))).toMatchObject({
      stdout: 'again\n',
      stderr: '',
    })
  })

  test('works the same through your own ssh', async () => {
    const transport = await opened(labHost(name), { ...withPassword, transport: 'openssh' })
    expect(await transport.exec(script('id -un; cat; exit 3', elevated))).toMatchObject({ stdout: 'root\n', exitCode: 3 })
  })

  test('gets no password when it does not ask', async () => {
    const transport = await opened(labHost(name), { user: 'op', becomePassword: { env: 'SUDO' } }, 'touch /tmp/password-was-read')
    expect(await transport.exec(script('id -un; cat', elevated))).toMatchObject({ stdout: 'root\n', stderr: '' })
    expect(await transport.exec(script('ls /tmp/password-was-read', elevated))).toMatchObject({ exitCode: 2 })
  })

  test('gets a wrong password only once', async () => {
    const lab = labHost(name)
    const failures = async (): Promise<number> =>
      Number(await mustExec(lab, 'journalctl -q _COMM=sudo | grep -c "authentication failure" || true'))
    const before = await failures()
    const transport = await opened(lab, withPassword, 'touch /tmp/password-was-read')
    const attempts = [1, 2, 3].map(() => failure(transport.exec(script('true', elevated))))
    expect((await Promise.all(attempts)).map(({ code }) => code)).toEqual(
      Array.from({ length: 3 }, () => 'CONNECT.SUDO_WRONG_PASSWORD'),
    )
    expect((await failure(transport.exec(script('true', elevated)))).code).toBe('CONNECT.SUDO_WRONG_PASSWORD')
    expect((await failures()) - before).toBe(1)
    expect(await lab.exec('ls /tmp/password-was-read')).toMatchObject({ exitCode: 2 })
    // What needs no sudo still runs.
    expect(await transport.exec(script('id -un'))).toMatchObject({ stdout: 'pw\n' })
  })

  test('that needs a password reports a missing one', async () => {
    const transport = await opened(labHost(name), { user: 'pw' })
    const error = await failure(transport.exec(script('true', elevated)))
    expect(error).toMatchObject({ code: 'CONNECT.SUDO_PASSWORD_NEEDED', why: expect.stringContaining(name) })
    expect(error.next.join()).toContain('ansible_become_password')
  })

  test('runs large scripts, brings back large output, and several at a time', async () => {
    const transport = await opened(labHost(name), withPassword)
    const large = `${`: '${'x'.repeat(1000)}'\n`.repeat(500)}head -c 3000000 /dev/zero | tr '\\0' o`
    const results = await Promise.all([1, 2, 3].map(() => transport.exec(script(large, elevated))))
    expect(results.map(({ stdout, exitCode }) => [stdout.length, exitCode])).toEqual([1, 2, 3].map(() => [3_000_000, 0]))
  })

  test.each([
    { when: 'its time is up', timeoutMs: 5_000, isAborted: false, outcome: { timedOut: true } },
    { when: 'it is aborted', timeoutMs: 60_000, isAborted: true, outcome: { message: 'interrupted' } },
  ])('does not keep a process of root from ending when $when', async ({ timeoutMs, isAborted, outcome }) => {
    const lab = labHost(name)
    const victims = async (): Promise<string> => (await lab.exec('pgrep -c -x -f "sleep 4321"')).stdout.trim()
    const transport = await opened(lab, withPassword)
    const abort = new AbortController()
    const running = transport.exec(script('sleep 4321', { timeoutMs, ...elevated }), { signal: abort.signal })
    const ended = running.catch((error: unknown) => error)
    await expect.poll(victims).toBe('1')
    if (isAborted) abort.abort(new Error('interrupted'))
    expect(await ended).toMatchObject(outcome)
    await expect.poll(victims).toBe('0')
    expect(await transport.exec(script('id -un', elevated))).toMatchObject({ stdout: 'root\n' })
  })

  test('does not keep a process of root that only looks from ending when the connection is gone', async () => {
    const lab = labHost(name)
    const victims = async (): Promise<string> => (await lab.exec('pgrep -c -x -f "sleep 4323"')).stdout.trim()
    const transport = await open(lab, withPassword)
    const running = failure(transport.exec(script('sleep 4323', { readOnly: true, ...elevated })))
    await expect.poll(victims).toBe('1')
    await transport.close()
    expect((await running).code).toBe('CONNECT.LOST')
    await expect.poll(victims).toBe('0')
  })

  describe('with rules of its own', () => {
    beforeAll(async () => {
      const rules = [
        'Defaults:teller lecture=always',
        'Defaults:typist requiretty',
        'teller ALL=(ALL) ALL',
        'typist ALL=(ALL) NOPASSWD: ALL',
      ]
      for (const user of ['teller', 'typist', 'guest'])
        await mustExec(labHost(name), `useradd --create-home ${user} && echo ${user}:pw-password | chpasswd`)
      await mustExec(labHost(name), `printf '%s\\n' '${rules.join("' '")}' >/etc/sudoers.d/transport-test`)
    })
    afterAll(async () => {
      await mustExec(labHost(name), 'rm /etc/sudoers.d/transport-test')
      for (const user of ['teller', 'typist', 'guest'])
        await mustExec(labHost(name), `userdel --remove ${user} 2>/dev/null || userdel -f ${user}`)
    })

    test('may give a lecture first', async () => {
      const transport = await opened(labHost(name), { ...withPassword, user: 'teller' })
      expect(await transport.exec(script('id -un', elevated))).toMatchObject({ stdout: 'root\n', stderr: '' })
    })

    test('may insist on a terminal, which is reported', async () => {
      for (const becomePassword of [undefined, { env: 'SUDO' }]) {
        const transport = await opened(labHost(name), {
          user: 'typist',
          ...(becomePassword === undefined ? {} : { becomePassword }),
        })
        expect((await failure(transport.exec(script('true', elevated)))).code).toBe('CONNECT.SUDO_TTY')
      }
    })

    test('may not know the user, which is reported in its own words', async () => {
      const transport = await opened(labHost(name), { ...withPassword, user: 'guest' })
      const error = await failure(transport.exec(script('true', elevated)))
      expect(error).toMatchObject({ code: 'CONNECT.SUDO_DENIED', why: expect.stringContaining('not in the sudoers file') })
    })

    test('may not know the user to become', async () => {
      const transport = await opened(labHost(name), { user: 'op', becomeUser: 'missing-account' })
      expect((await failure(transport.exec(script('true', elevated)))).code).toBe('CONNECT.SUDO_DENIED')
    })
  })
})

describe.skipIf(noLab)('a host without sudo', () => {
  test('is reported if it would be needed', async () => {
    const transport = await opened(labHost('busybox'), { user: 'op' })
    expect((await failure(transport.exec(script('true', elevated)))).code).toBe('CONNECT.SUDO_MISSING')
    expect(await transport.exec(script('id -un'))).toMatchObject({ stdout: 'op\n' })
  })

  test('is no obstacle for root', async () => {
    const transport = await opened(labHost('busybox'), { user: 'root' })
    expect(await transport.exec(script('id -un', elevated))).toMatchObject({ stdout: 'root\n' })
  })
})

describe.skipIf(noLab)('a dropbear server with BusyBox', () => {
  test('keeps its connection when a script is ended', async () => {
    const lab = labHost('busybox')
    const transport = await opened(lab, { user: 'op' })
    expect(await transport.exec(script('sleep 4322; echo no', { timeoutMs: 500 }))).toMatchObject({ timedOut: true, stdout: '' })
    await expect.poll(async () => (await lab.exec('ps | grep -c "[s]leep 4322"')).stdout.trim()).toBe('0')
    const text = `for a; do printf '%s|' "$a"; done; echo err >&2; exit 5`
    expect(await transport.exec(script(text, { args: ["it's", '$HOME', ''] }))).toMatchObject({
      stdout: "it's|$HOME||",
      stderr: 'err\n',
      exitCode: 5,
    })
  })

  test('carries scripts of a megabyte and brings back five', async () => {
    const transport = await opened(labHost('busybox'), { user: 'op' })
    const text = `${`: '${'x'.repeat(1000)}'\n`.repeat(1000)}head -c 5000000 /dev/zero | tr '\\0' o`
    expect((await transport.exec(script(text))).stdout).toHaveLength(5_000_000)
  })
})
