import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Problem } from '../../../src/model/plan.ts'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { createKey } from '../keys.ts'
import { noLab } from '../lab-hosts.ts'
import { chat, until } from './model-server.ts'
import { expectExit, hostPlan, kindB, machine, openSite, type Site } from './site.ts'

/** Hosts that cannot be looked at, each for another reason: its code, and words that its message must have. */
const broken: Readonly<Record<string, { code: string; words: RegExp; next: RegExp; vars: object }>> = {
  closed: { code: 'CONNECT.REFUSED', words: /refused/i, next: /port|ssh/, vars: { ansible_host: '127.0.0.1', ansible_port: 9 } },
  changed: { code: 'CONNECT.HOST_KEY_CHANGED', words: /key/, next: /ssh-keygen .*-R/, vars: {} },
  unknownkey: { code: 'CONNECT.HOST_KEY_UNKNOWN', words: /key/, next: /ssh/, vars: {} },
  nouser: {
    code: 'CONNECT.AUTH_FAILED',
    words: /no-such-user/,
    next: /ssh/,
    vars: { ansible_user: 'no-such-user' },
  },
  bare: { code: 'CONNECT.SUDO_MISSING', words: /sudo/, next: /sudo|ansible_become/, vars: {} },
  asks: {
    code: 'CONNECT.SUDO_PASSWORD_NEEDED',
    words: /password/,
    next: /ansible_become_password|NOPASSWD/,
    vars: { ansible_user: 'pw' },
  },
  unset: {
    code: 'SECRET',
    words: /NO_SUCH_VARIABLE/,
    next: /NO_SUCH_VARIABLE/,
    vars: { ansible_user: 'pw', ansible_become_password: { env: 'NO_SUCH_VARIABLE' } },
  },
  noshell: { code: 'CONNECT.SHELL', words: /shell/i, next: /ssh/, vars: { ansible_user: 'noshell' } },
  babble: { code: 'CONNECT.SHELL', words: /shell/i, next: /ssh/, vars: { ansible_user: 'babble' } },
  mad: { code: 'CONNECT.SHELL', words: /shell/i, next: /ssh/, vars: { ansible_become: false } },
}

describe.skipIf(noLab)('logins', () => {
  let lab: Lab
  let site: Site
  let box: LabHost

  beforeAll(async () => {
    lab = await startLab([
      { name: 'box', kind: 'box' },
      { name: 'busybox', kind: 'busybox' },
      { name: 'mad', kind: 'bastion' },
    ])
    box = lab.host('box')
    await prepareAccounts(box)
    await mustExec(
      lab.host('mad'),
      `printf '#!/bin/bash\\nhead -c 3000 /dev/urandom\\n' > /mad && chmod 755 /mad && mv -f /mad /bin/sh`,
    )
    site = await openSite(await sshConfigWithOddNames(lab))
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  describe('to unreachable hosts beside a reachable one', () => {
    beforeAll(async () => {
      const odd = Object.entries(broken).map(([name, { vars }]) => [name, machine({ flagship: kindB() }, { ...vars })] as const)
      await site.write({
        ...Object.fromEntries(odd),
        good: machine({ flagship: kindB() }, { ansible_user: 'noisy' }),
      })
    })

    it('are each reported with the cause and the remedy; the other one is planned', async () => {
      const plan = expectExit(await site.run(['plan', '--json']), 4).plan()
      expect(plan.summary).toMatchObject({ hosts: Object.keys(broken).length + 1, unreachable: Object.keys(broken).length })
      const wrong = Object.entries(broken).flatMap(([name, expected]) => {
        const { reachable, problem } = hostPlan(plan, name)
        return faults(name, expected, reachable, problem)
      })
      expect(wrong).toEqual([])
      expect(hostPlan(plan, 'good')).toMatchObject({ reachable: true, actions: [{ kind: 'install' }, { kind: 'start' }] })
    })

    it('do not keep the other one from being applied and proved', async () => {
      const { hosts } = expectExit(await site.run(['apply', '-y', '--json']), 4).report()
      expect(
        hosts
          .filter(({ reachable }) => !reachable)
          .map(({ host }) => host)
          .toSorted(),
      ).toEqual(Object.keys(broken).toSorted())
      const good = hosts.find(({ host }) => host === 'good')
      expect(good?.actions.map(({ status }) => status)).toEqual(['applied', 'applied'])
      expect(good?.smoke).toMatchObject([{ service: 'flagship', ok: true }])
      expect(await chat(box, 9997, 'flagship')).toMatchObject({ status: 200 })
    })

    it('are also in the text report', async () => {
      const { stdout } = expectExit(await site.run(['plan']), 4)
      for (const [name, { code }] of Object.entries(broken)) {
        const from = stdout.search(new RegExp(`^${name}\\b`, 'm'))
        expect(from, `${name} is not reported\n${stdout}`).toBeGreaterThanOrEqual(0)
        expect(stdout.slice(from, from + 400)).toContain(code)
      }
      expect(stdout).toMatch(new RegExp(`^Plan: .*${Object.keys(broken).length} unreachable`, 'm'))
    })

    it('make any verb end with 4', async () => {
      for (const verb of ['facts', 'status', 'verify']) {
        expect(expectExit(await site.run([verb, '--limit', 'closed']), 4).transcript).toContain('CONNECT.REFUSED')
      }
    })
  })

  /** Counted where it cannot be argued with: at the host's own sshd. The service that is asked was applied above. */
  describe('of a look', () => {
    beforeAll(async () => {
      await mustExec(box, 'echo LogLevel VERBOSE > /etc/ssh/sshd_config.d/verbose.conf && systemctl restart ssh')
      await site.write({ box: machine({ flagship: kindB({ user: 'noisy' }) }) })
      await mustExec(box, 'systemctl is-active flagship')
    })

    it.each([['plan'], ['status'], ['facts']])(
      'of %s is one connection and one exec, a running service asked over HTTP included',
      async (verb) => {
        const since = await mustExec(box, 'date "+%Y-%m-%d %H:%M:%S.%N"')
        expectExit(await site.run([verb]), 0)
        const log = await until(
          () => mustExec(box, `journalctl --no-pager -o cat -u ssh --since '${since}'`),
          (text) => text.includes('Disconnected from'),
        )
        const count = (words: RegExp) => log.match(words)?.length ?? 0
        expect({
          connections: count(/^Connection from /gm),
          logins: count(/^Accepted publickey for op /gm),
          refusedKeys: count(/^Failed publickey /gm),
          sessions: count(/^Starting session: /gm),
        }).toEqual({ connections: 1, logins: 1, refusedKeys: 0, sessions: 1 })
      },
    )
  })
})

/** What the message lacks; empty: it is a good one. */
function faults(
  host: string,
  expected: { code: string; words: RegExp; next: RegExp },
  reachable: boolean,
  problem: Problem | undefined,
): readonly string[] {
  if (reachable || problem === undefined) return [`${host}: is said to be reachable`]
  const next = problem.next.join('\n')
  return [
    ...(problem.code.startsWith(expected.code)
      ? []
      : [`${host}: code ${problem.code} instead of ${expected.code}: ${problem.why}`]),
    ...(problem.why.includes(host) ? [] : [`${host}: its name is not in "${problem.why}"`]),
    ...(expected.words.test(`${problem.summary} ${problem.why}`) ? [] : [`${host}: no ${expected.words} in "${problem.why}"`]),
    ...(expected.next.test(next) ? [] : [`${host}: no ${expected.next} in next: "${next}"`]),
  ]
}

/** Accounts whose shells are not what they should be. The noisy one is all right: many people's start-up files say something. */
async function prepareAccounts(host: LabHost): Promise<void> {
  const shells = {
    noshell: '#!/bin/sh\necho "This account is currently not available."\nexit 1',
    babble: '#!/bin/bash\nhead -c 3000 /dev/urandom',
    noisy: '#!/bin/bash\necho "*** Welcome to the box ***"\necho "converge 0 converge" >&2\nexec /bin/bash "$@"',
  }
  for (const [name, script] of Object.entries(shells)) {
    await mustExec(
      host,
      `cat > /usr/local/bin/${name} && chmod 755 /usr/local/bin/${name} && useradd -m -s /usr/local/bin/${name} ${name}`,
      {
        stdin: `${script}\n`,
      },
    )
  }
  await mustExec(host, `echo 'noisy ALL=(ALL:ALL) NOPASSWD: ALL' > /etc/sudoers.d/noisy`)
}

/**
 * The lab's own config, and its hosts under more names: as another account, with a different known key, with an
 * unknown one. The inventory must not see that they are one machine, or it says so.
 */
async function sshConfigWithOddNames(lab: Lab): Promise<string> {
  const box = lab.host('box')
  const { publicKey } = await createKey(lab.directory, 'another-host')
  const otherKey = join(lab.directory, 'odd_known_hosts')
  await writeFile(otherKey, `[127.0.0.1]:${box.port} ${publicKey.split(' ').slice(0, 2).join(' ')}\n`)
  const names = ['nouser', 'asks', 'unset', 'noshell', 'babble', 'good'].map((name) => block(name, box))
  const odd = [block('changed', box, otherKey), block('unknownkey', box, '/dev/null'), block('bare', lab.host('busybox'))]
  const file = join(lab.directory, 'odd_config')
  await writeFile(file, [...names, ...odd, await readFile(lab.sshConfigFile, 'utf8')].join(''))
  return file
}

function block(name: string, { port, keyFile, knownHostsFile }: LabHost, known = knownHostsFile): string {
  const login = `  HostName 127.0.0.1\n  Port ${port}\n  User op\n  IdentityFile ${keyFile}\n  IdentitiesOnly yes\n`
  return `Host ${name}\n${login}  UserKnownHostsFile ${known}\n  GlobalKnownHostsFile /dev/null\n\n`
}
