import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { converge } from './converge.ts'
import { chat, processesOf } from './model-server.ts'
import { expectExit, expectWords, serviceKey } from './site.ts'
import { openTerminal, type Terminal } from './terminal.ts'

const bigUnit = `[Unit]
Description=the big model

[Service]
User=op
Environment=SRV_MODEL=/srv/models/flagship CTX=16384 RAM_GB=1 SRV_API_KEY=${serviceKey}
ExecStart=/usr/bin/python3 /opt/kindb/serve serve --host 127.0.0.1 --port 9997 --model-id flagship --ctx 16384
Restart=always

[Install]
WantedBy=multi-user.target
`
/** As many have it: no key, and the usual port of the program. */
const smallUnit = `[Service]
User=op
ExecStart=/usr/bin/llama-server --host 127.0.0.1 --port 8080 -m /srv/models/tiny/tiny.gguf -c 2048 --cache-ram 64
Restart=on-failure

[Install]
WantedBy=multi-user.target
`

const startUnit = (host: LabHost, name: string, port: number, stdin: string) =>
  mustExec(
    host,
    `cat > /etc/systemd/system/${name}.service && systemctl daemon-reload && systemctl enable --now ${name}
    for i in $(seq 60); do curl -fsS -o /dev/null http://127.0.0.1:${port}/health && exit 0; sleep 0.5; done; exit 1`,
    { stdin },
  )

describe.skipIf(noLab)('a new user', () => {
  let lab: Lab
  let folder: string
  let home: string
  const at = (...path: readonly string[]) => join(home, ...path)
  const ssh = () => ['--ssh-config', lab.sshConfigFile]
  const run = (...args: readonly string[]) => converge(args, { home })
  const files = async () => (await readdir(home)).filter((name) => name !== 'state' && name !== '.cache').toSorted()
  const terminal = (args: readonly string[], columns = 80): Promise<Terminal> =>
    openTerminal(
      {
        directory: folder,
        home,
        arguments: (words) => words,
        environment: () => ({ PATH: process.env['PATH'] ?? '', HOME: home, LANG: 'C.UTF-8', CONVERGE_STATE_DIR: at('state') }),
      },
      args,
      { columns },
    )
  /** As that of the lab, but for the keys of hosts: none is known. */
  const strangers = async () => {
    const text = (await readFile(lab.sshConfigFile, 'utf8'))
      .replaceAll(/StrictHostKeyChecking yes/g, 'StrictHostKeyChecking ask')
      .replaceAll(/UserKnownHostsFile .*/g, `UserKnownHostsFile ${at('known_hosts')}`)
    await writeFile(at('ssh_config'), text)
    return ['--ssh-config', at('ssh_config')]
  }

  beforeAll(async () => {
    lab = await startLab([
      { name: 'box', kind: 'box' },
      { name: 'shelf', kind: 'metal' },
    ])
    await Promise.all([
      startUnit(lab.host('box'), 'big-model', 9997, bigUnit),
      startUnit(lab.host('shelf'), 'llama', 8080, smallUnit),
    ])
    await chat(lab.host('box'), 9997, 'flagship')
  })
  afterAll(() => lab?.stop())

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'converge-e2e-'))
    home = join(folder, 'home')
    await mkdir(home)
  })
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

  it('comes from an empty folder to an empty plan, without a restart', async () => {
    const servers = () =>
      Promise.all([
        processesOf(lab.host('box'), '^/usr/bin/python3 /opt/kindb/serve serve '),
        processesOf(lab.host('shelf'), '^/usr/bin/llama-server '),
      ])
    const before = await servers()
    const init = expectExit(await run('init', 'box', 'op@shelf', ...ssh(), '-y', '--key-file', 'keys'), 0)
    expectWords(init.stdout, [
      /^box +Debian .*root with sudo/m,
      '⌂ flagship  serve (B), the unit big-model.service',
      '⌂ tiny  llama-server (A), the unit llama.service',
    ])
    expectWords(init.stderr, [`converge apply --ssh-config ${lab.sshConfigFile} --limit box,shelf`])
    const inventory = at('inventories/home')
    const hosts = await readFile(join(inventory, 'hosts.yaml'), 'utf8')
    expectWords(hosts, ['$schema=.schemas/inventory.schema.json', 'ansible_user: op', 'ansible_become: true', 'platform: linux'])
    expect(await readdir(join(inventory, '.schemas'))).toEqual(['group-vars.schema.json', 'inventory.schema.json'])
    expect(await readFile(join(inventory, 'group_vars/all.yaml'), 'utf8')).toContain('ports: { min: 8080 }')
    expect(((await stat(at('keys/box-flagship.key'))).mode & 0o777).toString(8)).toBe('600')
    expect(init.transcript + hosts).not.toContain(serviceKey)
    expectExit(await run('validate'), 0)
    expectExit(await run('apply', ...ssh(), '-y'), 0)
    expectExit(await run('plan', ...ssh(), '--detailed-exitcode'), 0)
    expect(await servers()).toEqual(before)
  })

  describe('whose hosts ssh does not know', () => {
    it('is asked nothing without a terminal, and nothing is written', async () => {
      const { exitCode, stdout, stderr } = await run('init', 'box', ...(await strangers()), '-y')
      expect({ exitCode, stderr }).toEqual({ exitCode: 4, stderr: expect.stringContaining('Nothing was written.') })
      expectWords(stdout, ['CONNECT.HOST_KEY_UNKNOWN', /ssh-ed25519 key SHA256:\S+/])
      expect(await files()).toEqual(['ssh_config'])
    })

    it('is asked by ssh about each of them; one stays out, the other is written when all was seen', async () => {
      await using screen = await terminal(['init', ...(await strangers())])
      await screen.shows(/1 {2}box\n +2 {2}shelf\n[^]*all:$/)
      await screen.type('box 9\r')
      await screen.shows(/There is no 9 in the list/)
      await screen.type('1 shelf\r')
      await screen.shows(/key of box yet[^]*ED25519 key fingerprint is:? SHA256:[^]*\(yes\/no/)
      await screen.type('yes\r')
      await screen.shows(/key of shelf yet[^]*\(yes\/no/)
      await screen.type('no\r')
      const asked = await screen.shows(/Write it\? \[y\/N\]$/)
      expectWords(asked, [/^box +Debian/m, 'CONNECT.HOST_KEY_UNKNOWN', '✗ flagship', 'A new inventory: inventories/home'])
      expect(await files()).toEqual(['known_hosts', 'ssh_config'])
      await screen.type('y\r')
      expect(await screen.exitCode()).toBe(4)
      expectWords(await screen.unbroken(), ['Written.', 'converge adopt', '--key-file keys --write', 'Uncomment shelf'])
      expect((await readFile(at('known_hosts'), 'utf8')).split('\n').filter((line) => line !== '')).toHaveLength(1)
      const hosts = await readFile(at('inventories/home/hosts.yaml'), 'utf8')
      expectWords(hosts, [/^ {4}box:$/m, /^ {4}# shelf was unreachable \(CONNECT\.HOST_KEY_UNKNOWN\)/m, /^ {4}# shelf:$/m])
      expectWords(expectExit(await run('hosts'), 0).stdout, [/^box\n$/])
    })

    it('is not asked about a key that changed, and it is not accepted', async () => {
      const config = await strangers()
      const { port } = lab.host('box')
      const other = (await readFile(lab.host('box').knownHostsFile, 'utf8'))
        .split('\n')
        .find((line) => !line.includes(`:${port} `))
      await writeFile(at('known_hosts'), `[127.0.0.1]:${port} ${other?.split(' ').slice(1).join(' ')}\n`)
      const before = await readFile(at('known_hosts'), 'utf8')
      await using screen = await terminal(['init', 'box', ...config])
      expect(await screen.exitCode()).toBe(4)
      const said = await screen.screen()
      expectWords(said, ['CONNECT.HOST_KEY_CHANGED', 'Nothing was written.'])
      expect(said).not.toContain('yes/no')
      expect(await readFile(at('known_hosts'), 'utf8')).toBe(before)
    })

    it('can leave at the question of ssh', async () => {
      await using screen = await terminal(['init', 'box', ...(await strangers())])
      await screen.shows(/\(yes\/no/)
      await screen.type('C-c')
      expect(await screen.exitCode()).toBe(130)
      expect(await files()).toEqual(['ssh_config'])
    })
  })

  describe('can leave without a trace', () => {
    it.each(['n\r', 'C-c', 'C-d'])('with %j at the last question', async (keys) => {
      await using screen = await terminal(['init', 'shelf', ...ssh(), '--key-file', 'keys'])
      const asked = await screen.shows(/Write it\? \[y\/N\]$/)
      expect(asked.split('\n').every((line) => line.length <= 80)).toBe(true)
      await screen.type(keys)
      expect(await screen.exitCode()).toBe(130)
      expect(await screen.screen()).toContain('Nothing was written.')
      expect(await files()).toEqual([])
    })

    it.each(['\r', 'C-c', 'C-d'])('with %j at the list of hosts', async (keys) => {
      await using screen = await terminal(['init', ...ssh()])
      await screen.shows(/all:$/)
      await screen.type(keys)
      expect(await screen.exitCode()).toBe(130)
      expect(await files()).toEqual([])
    })
  })

  it('has hosts that are reached as far as they are', async () => {
    const { exitCode, stdout, stderr } = await run('init', 'op@127.0.0.1:1', 'shelf', ...ssh(), '-y')
    expect(exitCode).toBe(4)
    expectWords(stdout, ['CONNECT.REFUSED', '⌂ tiny'])
    expectWords(stderr, ['--limit shelf', 'Uncomment 127.0.0.1'])
    const hosts = await readFile(at('inventories/home/hosts.yaml'), 'utf8')
    expectWords(hosts, ['    # 127.0.0.1:\n    #   ansible_port: 1\n    #   ansible_user: op\n    shelf:\n'])
    expectExit(await run('validate'), 0)
  })

  it('reads where sudo needs a password', async () => {
    const shelf = lab.host('shelf')
    await mustExec(shelf, "sed -i '/^op/s/NOPASSWD: //' /etc/sudoers.d/lab")
    try {
      const { stdout } = expectExit(await run('init', 'shelf', ...ssh(), '-y'), 0)
      expectWords(stdout, ['no root: sudo needs a password'])
      expectWords(await readFile(at('inventories/home/hosts.yaml'), 'utf8'), [/^ {6}# ansible_become: true$/m])
      expect((await run('validate')).exitCode).toBe(0)
    } finally {
      await mustExec(shelf, "sed -i '/^op/s/ ALL$/ NOPASSWD: ALL/' /etc/sudoers.d/lab")
    }
  })
})
