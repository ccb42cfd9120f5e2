import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../simulation/ssh-files.ts'
import type { Host } from '../../src/model/fleet.ts'
import { openTransport } from '../../src/transports/open-transport.ts'
import { aServer, ask, failure, writeConfig } from '../support/ask-sshd.ts'
import { hasSshd, type Sshd } from '../support/sshd.ts'
import { script, transportOptions } from '../support/transport-options.ts'

/** Jump hosts, proxies and forwarded ports, against real OpenSSH servers. */
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
    await expect.poll(() => first.log()).toMatch(/Disconnected from/)
    await Promise.all((await open()).map((transport) => transport.close()))
    expect((await first.log()).match(/Accepted publickey/g)).toHaveLength(2)
  })

  test('is reported with its jump host if that refuses to forward', async () => {
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
      why: expect.stringContaining('is reached through itself'),
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
