import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FakeRegistry, startFakeRegistry } from '../../support/fake-registry.ts'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { gatewayOf } from './lab-hub.ts'
import { chat } from './model-server.ts'
import { actionsOn, asRoot, changesOn, expectExit, expectWords, kindA, machine, openSite, type Site } from './site.ts'

const official = 'ghcr.io/ggml-org/llama.cpp:server'

/** The official server behind a script; each version is another image. */
const script = (version: string, help: string, start: string) =>
  `#!/bin/sh
# ${version}
case $1 in --help) ${help}; exit ;; esac
${start}
`
const older = script('older', '/usr/bin/llama-server --help 2>&1 | grep -v -e --jinja', 'exec /usr/bin/llama-server "$@"')
const newer = script('newer', 'exec /usr/bin/llama-server --help', 'exec /usr/bin/llama-server "$@"')
/** The server behind a door that holds every chat for four seconds. */
const slower = script(
  'slower',
  'exec /usr/bin/llama-server --help',
  `/usr/bin/llama-server "$@" --host 127.0.0.1 --port 19990 &
exec perl -MIO::Socket::INET -e '
  my $door = IO::Socket::INET->new(LocalPort => 9990, Listen => 50, ReuseAddr => 1) or die;
  $SIG{CHLD} = "IGNORE";
  $SIG{TERM} = sub { exit 0 };
  while (1) {
    my $client = $door->accept() or next;
    if (fork()) { close $client; next }
    my $server = IO::Socket::INET->new("127.0.0.1:19990") or exit;
    my ($in, $out) = ("", "");
    while (1) {
      my $ready = "";
      vec($ready, fileno($_), 1) = 1 for $client, $server;
      select($ready, undef, undef, undef);
      if (vec($ready, fileno($client), 1)) { sysread($client, $in, 65536) or last; sleep 4 if $in =~ /completions/; syswrite($server, $in) }
      if (vec($ready, fileno($server), 1)) { sysread($server, $out, 65536) or last; syswrite($client, $out) }
    }
    exit;
  }'`,
)

const names = (host: LabHost) => mustExec(host, "docker images --format '{{.Repository}}:{{.Tag}}' | grep -v '<none>' | sort")
const answers = async (host: LabHost) => expect(await chat(host, 9990, 'coder')).toMatchObject({ status: 200 })
/** The ids of a container's image, and of the one that has its name. */
const idsIn = (text: string) => text.split(/\s+/).filter((word) => word.startsWith('sha256:'))

/** Two NAS that pull from a registry, each with a real llama-server in a container; each test goes on where the one before it ended. */
describe.skipIf(noLab)('an upgrade of images', () => {
  let lab: Lab
  let site: Site
  let registry: FakeRegistry
  let nas: LabHost
  let second: LabHost
  let image: string
  let versions: Readonly<Record<'older' | 'newer' | 'slower', string>>
  const saved = join(tmpdir(), `converge-registry-${process.pid}`)

  const running = (host: LabHost) =>
    mustExec(host, `docker inspect -f '{{.Image}} {{.State.StartedAt}}' coder; docker image inspect -f '{{.Id}}' ${image}`)

  beforeAll(async () => {
    await mkdir(saved)
    lab = await startLab([
      { name: 'nas', kind: 'nas' },
      { name: 'second', kind: 'nas' },
    ])
    nas = lab.host('nas')
    second = lab.host('second')
    await execa('sh', ['-c', `docker save "$1" | tar -xf - -C "$2"`, 'save', official, saved])
    const fake = await startFakeRegistry(saved)
    registry = fake
    const [made, good, slow] = [await fake.derive(older), await fake.derive(newer), await fake.derive(slower)]
    versions = { older: made, newer: good, slower: slow }
    fake.tag('server', fake.first)
    const gateway = await gatewayOf(lab)
    image = `${gateway}:${fake.port}/llama.cpp:server`
    const trust = `sed -i '1s|{|{ "insecure-registries": ["${gateway}/32"],|' /etc/docker/daemon.json && systemctl reload docker`
    await Promise.all([nas, second].map((host) => mustExec(host, trust)))
    site = await openSite(lab.sshConfigFile)
    const coder = () => machine({ coder: kindA({ image }) }, asRoot)
    await site.write({ nas: coder(), second: coder() })
    expectExit(await site.run(['apply', '-y']), 0)
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
    await registry?.[Symbol.asyncDispose]()
    await rm(saved, { recursive: true, force: true })
  })

  it('whose version lacks a flag is refused: the old containers answer, and no name has moved', async () => {
    registry.tag('server', versions.older)
    const before = [await running(nas), await running(second)]
    const plan = expectExit(await site.run(['upgrade', 'coder@nas', '--check', '--json']), 0).plan()
    expect(actionsOn(plan, 'nas')).toMatchObject([{ kind: 'restart', changes: [{ field: 'running.image' }] }])
    const failed = expectExit(await site.run(['upgrade', 'coder@nas', '-y']), 5)
    expectWords(failed.transcript.replaceAll(/\s+/g, ' '), ['does not list --jinja', 'Nothing was stopped'])
    expect([await running(nas), await running(second)]).toEqual(before)
    await answers(nas)
    expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
  })

  it('whose version is fine goes to one host first, then to the other', async () => {
    registry.tag('server', versions.newer)
    const before = await running(nas)
    const done = expectExit(await site.run(['upgrade', '-y']), 0)
    const lines = done.stderr.split('\n')
    const proved = lines.findIndex((line) => /^nas \| .*(works|verified|done)/.test(line))
    const next = lines.findIndex((line) => /^second \| .*(lock|restart)/.test(line))
    expect([proved > 0, next > proved]).toEqual([true, true])
    expect(await running(nas)).not.toEqual(before)
    await Promise.all([nas, second].map(answers))
    // No name of its own is left of the upgrade.
    expect(await names(nas)).toBe([image, official].toSorted().join('\n'))
    expect(changesOn(expectExit(await site.run(['upgrade', '--check', '--json']), 0).plan(), 'nas')).toEqual([])
  })

  it('whose version answers ten times as slowly is rolled back, and ends with the first host', async () => {
    registry.tag('server', versions.slower)
    const [onNas, onSecond] = [await running(nas), await running(second)]
    const report = expectExit(await site.run(['upgrade', '-y', '--json', '--max-slowdown', '1.5']), 5).report()
    const [first, rest] = report.hosts
    expect(first?.actions).toMatchObject([{ status: 'failed', undone: 'restored', problem: { code: 'APPLY.NOT_PROVED' } }])
    expect(first?.actions[0]?.problem?.why).toContain('max_slowdown')
    expect(rest?.actions).toMatchObject([{ status: 'not-run' }])
    // Another container, from the same image as before, which has its name.
    expect(idsIn(await running(nas))).toEqual(idsIn(onNas))
    expect(await running(second)).toBe(onSecond)
    await answers(nas)
    expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
  })
})
