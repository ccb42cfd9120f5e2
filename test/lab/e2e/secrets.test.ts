import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import type { Outcome } from './converge.ts'
import { chat } from './model-server.ts'
import { expectExit, kindA, kindB, machine, openSite, type Site } from './site.ts'

// 40 characters with some that URLs and shells write in another way.
const keys = { coder: randomBytes(28).toString('base64'), flagship: `$x'${randomBytes(26).toString('base64')}=` }
const password = `p ${randomBytes(15).toString('base64')}`
const needles = [...Object.values(keys), password].flatMap(notations)

function notations(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '')
  return [
    secret,
    encodeURIComponent(secret),
    base64.slice(0, -1),
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll("'", `'\\''`),
  ]
}

/** Where the needles lie on the hosts, so that no command line of the test itself has them. */
const needleFile = '/dev/shm/needles'
const stopFile = '/dev/shm/stop'

/** Reads every process repeatedly until it is stopped: `cmdline|environ`, and what the process is. One process, so that it looks often at little cost. */
const watcher = `perl -e '
  open my $needles, "<", "${needleFile}" or die;
  chomp(my @needles = <$needles>);
  my $needle = join "|", map quotemeta, @needles;
  my %seen;
  until (-e "${stopFile}") {
    for my $folder (glob "/proc/[0-9]*") {
      for my $name ("cmdline", "environ") {
        next unless content("$folder/$name") =~ /$needle/;
        my $command = substr content("$folder/cmdline") =~ tr/\\0/ /r, 0, 60;
        $seen{"$name $command"} = 1;
      }
    }
    select undef, undef, undef, 0.02;
  }
  print map "$_\\n", sort keys %seen;
  sub content { local $/; open my $file, "<", shift or return ""; <$file> // "" }
'`

const search = (what: string) => `{ ${what}; } 2>&1 | grep -aF -f ${needleFile} || :`

describe.skipIf(noLab)('keys and passwords', () => {
  let lab: Lab
  let site: Site
  let nas: LabHost
  let box: LabHost
  let watched: readonly Promise<string>[]
  const outcomes: Outcome[] = []
  const run = async (args: readonly string[], exitCode = 0): Promise<Outcome> => {
    const outcome = expectExit(await site.run(args), exitCode)
    outcomes.push(outcome)
    return outcome
  }
  const inventory = (ctx: number, flagship: object = {}) =>
    site.write({
      nas: machine({ coder: kindA({ ctx_size: ctx, api_key: { env: 'CODER_KEY' } }) }),
      box: machine(
        { flagship: kindB({ ctx, api_key: { file: join(site.directory, 'flagship.key') }, user: 'op', ...flagship }) },
        { ansible_user: 'pw', ansible_become_password: { env: 'SUDO_PASSWORD' } },
      ),
    })

  beforeAll(async () => {
    lab = await startLab([
      { name: 'nas', kind: 'nas' },
      { name: 'box', kind: 'box' },
    ])
    nas = lab.host('nas')
    box = lab.host('box')
    site = await openSite(lab.sshConfigFile, { CODER_KEY: keys.coder, SUDO_PASSWORD: password })
    await writeFile(join(site.directory, 'flagship.key'), `${keys.flagship}\n`, { mode: 0o600 })
    await mustExec(box, 'chpasswd', { stdin: `pw:${password}\n` })
    for (const host of [nas, box]) await mustExec(host, `cat > ${needleFile}`, { stdin: `${needles.join('\n')}\n` })
    watched = [nas, box].map((host) => mustExec(host, watcher))
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  it('are used by every verb', async () => {
    await inventory(2048)
    await run(['plan', '-v'])
    await run(['apply', '-y', '-v'])
    await run(['facts', '--json', '-v'])
    await run(['facts', '-v'])
    await run(['status', '-v'])
    await run(['status', '--json'])
    await run(['verify', '-v'])
    await run(['verify', '--json'])
    await run(['render', 'coder@nas', '-v'])
    await run(['render', 'flagship@box', '--json'])
    await inventory(1024)
    await run(['plan', '--json', '-v'], 3)
    await run(['apply', '-y', '--json', '-v', '--allow', 'WARM.RESTART@flagship', '--reason', 'a test'])
    expect(await chat(nas, 9990, 'coder', keys.coder)).toMatchObject({ status: 200 })
  })

  it('are in nothing that was printed', () => {
    expect(outcomes.length).toBeGreaterThan(10)
    for (const { transcript } of outcomes) expect(needles.filter((needle) => transcript.includes(needle))).toEqual([])
  })

  it('were never in a process list, and in the environment of Kind B alone', async () => {
    for (const host of [nas, box]) await mustExec(host, `touch ${stopFile}`)
    const [onNas, onBox] = await Promise.all(watched)
    expect(onNas).toBe('')
    // Its own program reads the key from there, and hands its environment to its engine.
    // A process that exited between the two looks has no command line left.
    const named = onBox?.split('\n').filter((line) => line.trim() !== 'environ')
    const seen = named?.map((line) => line.replace(/^(environ \/(usr\/bin\/python3 )?\/?opt\/kindb\/\w+).*/, '$1'))
    expect([...new Set(seen)].toSorted()).toEqual(['environ /opt/kindb/colibri', 'environ /usr/bin/python3 /opt/kindb/serve'])
  })

  it('are in no log and in no output of the supervisors', async () => {
    expect((await mustExec(nas, search(`cat ${needleFile}`))).split('\n')).toHaveLength(needles.length)
    expect(
      await mustExec(
        nas,
        search('journalctl --no-pager -o export; docker inspect coder; docker logs coder; docker compose ls -a'),
      ),
    ).toBe('')
    expect(
      await mustExec(
        box,
        search('journalctl --no-pager -o export; systemctl show flagship; systemctl cat flagship; systemctl status flagship'),
      ),
    ).toBe('')
  })

  it.each([
    ['nas', ['/etc/converge/keys/coder.key']],
    ['box', ['/etc/converge/keys/flagship.env']],
  ])('are on %s in the key file alone', async (name, allowed) => {
    const found = await mustExec(
      lab.host(name),
      `find / /tmp /run /var/lib/docker -xdev -type f -not -path ${needleFile} -print0 2>/dev/null | xargs -0 grep -aFls -f ${needleFile} || :`,
    )
    expect(found.split('\n').toSorted()).toEqual(allowed)
    const modes = await mustExec(lab.host(name), `stat -c '%a %U' ${found.replaceAll('\n', ' ')}`)
    expect(new Set(modes.split('\n'))).toEqual(new Set(['600 root']))
  })

  it('reach the servers', async () => {
    expect(await chat(nas, 9990, 'coder', keys.coder)).toMatchObject({ status: 200 })
    expect(await chat(nas, 9990, 'coder', 'wrong')).toMatchObject({ status: 401 })
    const [verify] = outcomes.filter(({ transcript }) => transcript.startsWith('converge verify --json'))
    expect(verify?.report().hosts.flatMap(({ smoke }) => smoke.map(({ service, ok }) => [service, ok]))).toEqual([
      ['coder', true],
      ['flagship', true],
    ])
  })

  it('are tried once if the password is wrong, and only the name of the account is reported', async () => {
    const wrong = `wrong ${randomBytes(9).toString('base64')}`
    const outcome = await site.run(['plan', '--limit', 'box'], { env: { SUDO_PASSWORD: wrong } })
    expectExit(outcome, 4)
    expect(outcome.transcript).toContain('CONNECT.SUDO_WRONG_PASSWORD')
    expect(outcome.transcript).not.toContain(wrong)
    // sudo logs it once its connection has ended.
    const attempts = `journalctl --no-pager -o cat -t sudo | grep -c 'incorrect password attempt'`
    await expect.poll(async () => (await box.exec(attempts)).stdout.trim()).toBe('1')
  })
})
