import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { beginApply, type Interruptible, type Way } from './interruptible.ts'
import { chat, nothingSentRuns, until } from './model-server.ts'
import { expectExit, expectWords, kindA, machine, openSite, type Site } from './site.ts'

/** An engine that takes its time to replace a container: until `/run/held` is taken away. */
const slowEngine = `#!/bin/sh
case "$*" in
  *" up -d "*) if [ -e /run/hold ]; then mv /run/hold /run/held; while [ -e /run/held ]; do sleep 0.2; done; fi ;;
esac
exec /usr/bin/docker "$@"
`

/** A server that takes its time to load: until `hold` is taken away from beside its model. */
const slowServer = `#!/bin/sh
while [ -e /models/hold ]; do sleep 0.2; done
exec /usr/bin/llama-server "$@"
`

const makeSlowImage = `cat >/tmp/slow-serve && chmod +x /tmp/slow-serve
docker create --name slow ghcr.io/ggml-org/llama.cpp:server && docker cp /tmp/slow-serve slow:/usr/bin/
docker commit --change 'ENTRYPOINT ["/usr/bin/slow-serve"]' slow lab/slow:1 && docker rm slow`

const first = /Interrupted: nothing new is started/
const second = /Interrupted again: work on the hosts is ended now/

/** Each test goes on where the one before it ended; on a NAS with room for two servers. */
describe.skipIf(noLab)('an apply that is interrupted during a slow start', () => {
  let lab: Lab
  let site: Site
  let nas: LabHost

  beforeAll(async () => {
    lab = await startLab([{ name: 'nas', kind: 'nas' }])
    nas = lab.host('nas')
    site = await openSite(lab.sshConfigFile)
    await mustExec(nas, makeSlowImage, { stdin: slowServer })
    await mustExec(nas, 'cat >/usr/local/bin/docker && chmod +x /usr/local/bin/docker', { stdin: slowEngine })
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  const want = (more: object) => {
    const slow = (port: number) => kindA({ port, image: 'lab/slow:1', ...more })
    return site.write({ nas: machine({ coder: slow(9990), writer: slow(9991) }) }, { small_ram_gb: 1 })
  }
  const answers = (port: number) =>
    until(
      async () => (await nas.exec(`curl -s --max-time 5 http://127.0.0.1:${port}/health`)).stdout,
      (said) => said.includes('ok'),
      60_000,
    )
  const containers = () => mustExec(nas, `docker ps -a --format '{{.Names}} {{.ID}} {{.State}}' | sort`)

  async function heldApply(way: Way): Promise<Interruptible> {
    await mustExec(nas, 'touch /run/hold')
    const run = await beginApply(site, way)
    const held = await until(
      () => mustExec(nas, 'ls /run/held 2>&1 || :'),
      (said) => said === '/run/held',
      60_000,
    )
    expect(held).toBe('/run/held')
    return run
  }

  /** Neither a lock nor anything that a run started, but servers. */
  async function expectNothingLeft(): Promise<void> {
    expect(await mustExec(nas, 'ls -d /etc/converge/lock 2>/dev/null || :')).toBe('')
    expect(await nothingSentRuns(nas)).toBe('')
    await expect.poll(() => mustExec(nas, "pgrep -fl 'sshd-session: [o]p' || :")).toBe('')
  }

  it.each([
    ['Ctrl-C in a terminal', 'coder', 'writer'],
    ['SIGTERM', 'writer', ''],
  ] as const)(
    'by %s, finishes the step in flight, does not wait for the server, and begins nothing new',
    async (way, service, next) => {
      await want({})
      await mustExec(nas, 'touch /srv/models/tiny/hold')
      await using run = await heldApply(way)
      await run.interrupt()
      await run.says(first)
      await mustExec(nas, 'rm /run/held')
      const output = await run.ended()
      expectWords(output, [
        /^exit 130$/m,
        new RegExp(`✔ start ${service}`),
        new RegExp(`\\? ${service} {2}not verified: .*the run was interrupted`),
        ...(next === '' ? [] : [`- start ${next}  not run: the run was interrupted before this action`]),
        /^Interrupted: \d applied, .*0 of \d servers? verified\.$/m,
        /^next: converge resume /m,
      ])
      await expectNothingLeft()
      expect(await containers()).toMatch(
        next === '' ? /^coder \S+ running\nwriter \S+ running$/ : /^coder \S+ running\nwriter \S+ created$/,
      )
      await mustExec(nas, 'rm /srv/models/tiny/hold')
      expect(await answers(service === 'coder' ? 9990 : 9991)).toContain('ok')
    },
  )

  it.each<Way>(['Ctrl-C in a terminal', 'SIGTERM'])(
    'twice by %s, ends the step on the host and gives the lock back; the old server runs on',
    async (way) => {
      const before = await containers()
      await want({ ctx_size: 1024 })
      await using run = await heldApply(way)
      await run.interrupt()
      await run.says(first)
      await run.interrupt()
      await run.says(second)
      const output = await run.ended()
      expectWords(output, [
        /^exit 130$/m,
        /✗ (update|restart) coder {2}failed after/,
        /APPLY\.IN_DOUBT[^]*"replace container coder" was sent, but the second interrupt killed it/,
        '- update writer  not run: the run was interrupted before this action',
        /^Interrupted: 0 applied, 1 failed(?: \(1 partly done\))?, 1 not run\.$/m,
        /^next: converge resume /m,
      ])
      await expectNothingLeft()
      expect(await containers()).toBe(before)
      expect(await chat(nas, 9990, 'coder')).toMatchObject({ status: 200 })
      await mustExec(nas, 'rm /run/held')
    },
  )

  it('is resumed as its report says: the rest is done, and proved', async () => {
    const report = expectExit(await site.run(['resume', '-y', '--json']), 0).report()
    expect(report.second_plan).toMatchObject({ changes: 0 })
    const proved = report.hosts[0]?.smoke.filter(({ ok }) => ok).map(({ service }) => service)
    expect(proved?.toSorted()).toEqual(['coder', 'writer'])
    expect(await mustExec(nas, `docker inspect -f '{{.Config.Cmd}}' coder writer`)).toMatch(
      /--ctx-size 1024.*\n.*--ctx-size 1024/,
    )
  })
})
