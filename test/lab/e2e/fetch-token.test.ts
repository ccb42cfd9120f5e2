import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Of } from '../../support/fake-hub/content.ts'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { beginFetch, digestOn, filesIn, jobProcess, untilArrived } from './fetch-runs.ts'
import { startLabHub } from './lab-hub.ts'
import { until } from './model-server.ts'
import { expectExit, expectWords, kindA, machine, openSite, type Site } from './site.ts'

const token = 'hf_LabTokenThatMustStaySecret31415'
const folder = '/srv/models/gated'
const content = { bytes: 2_000_000, seed: 'gated' }

/** A token goes over http to this very machine only, so a tunnel brings the hub to the same address on the host. */
describe.skipIf(noLab)('converge fetch with a token', () => {
  let lab: Lab
  let site: Site
  let metal: LabHost

  beforeAll(async () => {
    lab = await startLab([{ name: 'metal', kind: 'metal' }])
    metal = lab.host('metal')
    site = await openSite(lab.sshConfigFile, { LAB_KEY: 'key', HF_TOKEN: token })
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  it('shows it to the hub, and nowhere else: no list of processes, no file, no log, no report, no address the hub leads to', async () => {
    await using hub = await startLabHub(lab, { 'tiny.gguf': content }, { token })
    hub.hub.behaveFor('cdn', { slow: 400_000 })
    await using open = new AsyncDisposableStack()
    open.use(await tunnelTo(metal, [hub.hub.url, hub.hub.cdn, hub.hub.elsewhere]))
    const model = { path: `${folder}/tiny.gguf`, source: hub.source({ hub: hub.hub.url, token: { env: 'HF_TOKEN' } }) }
    await site.write({ metal: machine({ coder: kindA({ manager: 'systemd', executable: '/usr/bin/llama-server', model }) }) })
    await mustExec(metal, watcher)
    await using run = beginFetch(site, '--follow', '--json')
    await untilArrived(metal, folder, 'tiny.gguf', 500_000)
    await mustExec(metal, `kill -9 ${await jobProcess(metal)}`)
    const said = await run.ended()
    expectWords(said, [/"state": ?"complete"/, /^exit 0$/m])
    await mustExec(metal, 'touch /run/watched && while [ ! -s /run/looks ]; do sleep 0.1; done')

    expect(await filesIn(metal, folder)).toEqual({ 'tiny.gguf': content.bytes })
    expect(await digestOn(metal, `${folder}/tiny.gguf`)).toBe(await sha256Of(content))
    const shown = hub.hub.askedAnywhere.filter(({ authorization }) => authorization !== undefined)
    expect(shown.length).toBeGreaterThan(3)
    expect(new Set(shown.map(({ server }) => server))).toEqual(new Set(['hub']))
    expect(hub.hub.askedAnywhere.some(({ server }) => server === 'cdn')).toBe(true)

    // What ran was looked at, and the fetcher was among it.
    const looks = await mustExec(metal, 'cat /run/looks')
    expect(Number(looks)).toBeGreaterThan(20)
    expect(await mustExec(metal, 'grep -c -e --user-agent /run/argv || :')).not.toBe('0')
    expect(await mustExec(metal, `grep -c ${token.slice(3)} /run/argv || :`)).toBe('0')
    const places = '/etc/converge /srv /var/log /tmp /root /home /run/log /run/systemd'
    expect(await mustExec(metal, `grep -rl --exclude=argv ${token.slice(3)} ${places} 2>/dev/null || :`)).toBe('')
    const log = expectExit(await site.run(['fetch', 'log', '--json']), 0)
    expect(`${said}${log.transcript}`).not.toContain(token)
    expect((await execa('grep', ['-rl', token, site.directory], { reject: false })).stdout).toBe('')
  })

  it('without the right one the hub says no, and nothing is fetched', async () => {
    await using hub = await startLabHub(lab, { 'tiny.gguf': content }, { token: `${token}-of-another` })
    const model = { path: '/srv/models/denied/tiny.gguf', source: hub.source({ hub: hub.hub.url, token: { env: 'HF_TOKEN' } }) }
    await site.write({ metal: machine({ coder: kindA({ model }) }) })
    const denied = expectExit(await site.run(['fetch', '--json']), 4)
    expectWords(denied.stdout, ['HUB.DENIED'])
    expect(denied.transcript).not.toContain(token)
    expect(await filesIn(metal, '/srv/models/denied')).toEqual({})
  })
})

/** Notes the arguments and the environment of all that runs, as often as it can, until it is to stop. */
const watcher = `rm -f /run/argv /run/looks /run/watched
setsid perl -e '
  my ($looks, %seen);
  until (-e "/run/watched") {
    $looks++;
    for my $file (glob "/proc/[0-9]*/{cmdline,environ}") {
      open my $words, "<", $file or next;
      $seen{$_} = 1 for map { split /\\0/ } <$words>;
    }
    select undef, undef, undef, 0.02;
  }
  open my $argv, ">", "/run/argv";
  print $argv map "$_\\n", keys %seen;
  close $argv;
  open my $count, ">", "/run/looks";
  print $count $looks;
' >/dev/null 2>&1 </dev/null &`

/** Brings ports of this machine to the same ports of a host's loopback. */
async function tunnelTo(host: LabHost, urls: readonly string[]): Promise<AsyncDisposable> {
  const ports = urls.map((url) => new URL(url).port)
  const forwards = ports.flatMap((port) => ['-R', `127.0.0.1:${port}:127.0.0.1:${port}`])
  const ssh = execa('ssh', ['-F', host.sshConfigFile, '-N', '-o', 'ExitOnForwardFailure=yes', ...forwards, host.name], {
    reject: false,
  })
  await until(
    () => mustExec(host, `ss -Hltn 'sport = :${ports[0]}'`),
    (seen) => seen !== '',
  )
  return {
    [Symbol.asyncDispose]: async () => {
      ssh.kill()
      await ssh
    },
  }
}
