import { describe, expect, test } from 'vitest'
import { shellSplit } from '../../src/lib/shell-split.ts'
import type { Connection } from '../../src/model/fleet.ts'
import { mustStartNothing } from '../../src/run/closed-host.ts'
import { aHost } from '../support/build.ts'

const reaching = (more: Partial<Connection>) => () => {
  const { connection } = aHost()
  mustStartNothing({ name: 'nas', connection: { ...connection, transport: 'ssh', ...more } })
}
const given = (args: string) => reaching({ sshArgs: shellSplit(args) ?? ['-o', 'not split'] })

describe('the connection to a host of an untrusted inventory', () => {
  test.each([
    '-o ProxyCommand="touch /tmp/x"',
    '-oProxyCommand=touch',
    "-o 'proxycommand touch'",
    `-o '"ProxyCommand" touch /tmp/x'`,
    `-o 'Proxy"Command" touch /tmp/x'`,
    `-o '"" ProxyCommand touch /tmp/x'`,
    "-o '=ProxyCommand touch /tmp/x'",
    "-o '= ProxyCommand touch /tmp/x'",
    `-o '"KnownHostsCommand" /tmp/x'`,
    `-o 'User"KnownHostsFile" /etc/passwd'`,
    '-C -o LocalCommand=touch -o PermitLocalCommand=yes',
    '-o PermitLocalCommand=yes',
    '-o KnownHostsCommand=/tmp/x',
    '-o PKCS11Provider=/tmp/x.so',
    '-o Include=/tmp/x',
    '-o IdentityAgent=/tmp/x',
    '-o SendEnv=*',
    '-o SetEnv=A=b',
    '-o ForwardAgent=yes',
    '-o StrictHostKeyChecking=no',
    '-o StrictHostKeyChecking=accept-new',
    '-o HostKeyAlias=nas',
    "-o 'ProxyJump=`touch /tmp/x`'",
    "-J 'a,$(touch /tmp/x)'",
    "-J ' -oProxyCommand=x'",
    "-l '$(touch /tmp/x)'",
    "-o 'HostName=${TOKEN}'",
    "-o 'Port=22 ProxyCommand=x'",
    '-F /tmp/config',
    '-F/tmp/config',
    '-vF /tmp/config',
    '-CF /tmp/config',
    '-I /tmp/x.so',
    '-E /tmp/log',
    '-S /tmp/socket',
    '-A',
    '-CA',
    '-X',
    '-K',
    '-o',
    '-p',
    'word',
  ])('runs, reads and sends nothing of this machine: %s', (args) => expect(given(args)).toThrow('CONNECT.UNTRUSTED'))

  test.each([
    '',
    '-o ConnectTimeout=5',
    "-o 'connecttimeout 5'",
    '-J bastion',
    '-J op@bastion:2222,[fe80::1]:22',
    '-o ProxyJump=bastion',
    '-o StrictHostKeyChecking=yes -o ServerAliveInterval=5',
    '-C -4 -Tq',
    '-p 22 -p22',
    '-o Ciphers=aes128-ctr -o HostKeyAlgorithms=+ssh-rsa',
    '-l Ed',
  ])('may be said: %s', (args) => expect(given(args)).not.toThrow())

  test.each([
    [{ transport: 'local' }, '`ansible_connection: local` of nas'],
    [{ address: '$(touch /tmp/x)' }, '`ansible_host` of nas'],
    [{ address: '-oProxyCommand=x' }, '`ansible_host` of nas'],
    [{ user: '`touch /tmp/x`' }, '`ansible_user` of nas'],
    [{ user: '${GITHUB_TOKEN}' }, '`ansible_user` of nas'],
    [{ privateKeyFile: '/x/${GITHUB_TOKEN}' }, '`ansible_ssh_private_key_file` of nas'],
  ] as const)('goes by no variable that reaches into this machine: %j', (more, why) =>
    expect(reaching(more)).toThrow(expect.objectContaining({ code: 'CONNECT.UNTRUSTED', why: expect.stringContaining(why) })),
  )

  test.each([
    { address: 'fe80::1%eth0', user: 'op@example.com' },
    { transport: 'openssh', privateKeyFile: '~/.ssh/look' },
  ] as const)('goes by where a host is: %j', (more) => expect(reaching(more)).not.toThrow())

  test('is reported without the value of a keyword', () => {
    expect(given('-o ProxyCommand="sh -c s3cret"')).toThrow(
      expect.objectContaining({ why: expect.stringMatching(/^The argument `-oProxyCommand` for ssh of nas (?!.*s3cret)/u) }),
    )
  })
})
