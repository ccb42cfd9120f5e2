import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { chat, processesOf } from './model-server.ts'
import { actionsOn, changesOn, expectExit, expectWords, kindA, machine, openSite, type Site } from './site.ts'

const official = 'ghcr.io/ggml-org/llama.cpp:server'
const definition = '/etc/converge/compose/coder/compose.yaml'

/** A real llama-server in a container, and images that are to take its place. */
describe.skipIf(noLab)('an image before it takes the place of a running server', () => {
  let lab: Lab
  let site: Site
  let nas: LabHost

  const server = () => processesOf(nas, '^[^ ]*llama-server --host')
  const write = (more: Parameters<typeof kindA>[0] = {}) => site.write({ nas: machine({ coder: kindA(more) }) })
  /** The official image with a script in front of its server. */
  const build = (name: string, help: string) =>
    mustExec(
      nas,
      `cat > /tmp/server <<'SCRIPT'
#!/bin/sh
case $1 in --help) ${help}; exit ;; esac
exec /usr/bin/llama-server "$@"
SCRIPT
chmod 755 /tmp/server && made=$(docker create ${official}) && docker cp -q /tmp/server "$made:/usr/bin/server" >/dev/null &&
docker commit --change 'ENTRYPOINT ["/usr/bin/server"]' "$made" ${name} >/dev/null && docker rm "$made" >/dev/null`,
    )

  beforeAll(async () => {
    lab = await startLab([{ name: 'nas', kind: 'nas' }])
    nas = lab.host('nas')
    site = await openSite(lab.sshConfigFile)
    await build('house/server:older', '/usr/bin/llama-server --help 2>&1 | grep -v -e --jinja')
    await build('house/server:silent', 'echo nothing to say')
    await write()
    expectExit(await site.run(['apply', '-y']), 0)
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  /** The apply fails, and the server, its definition and all containers are as they were. */
  async function expectLeftAlone(): Promise<void> {
    const look = `docker ps -aq --no-trunc; docker inspect -f '{{.State.StartedAt}}' coder; sha256sum ${definition}`
    const before = [await server(), await mustExec(nas, look)]
    const failed = expectExit(await site.run(['apply', '-y']), 5)
    expectWords(failed.transcript.replaceAll(/\s+/g, ' '), ['does not list --jinja', 'Nothing was stopped'])
    expect([await server(), await mustExec(nas, look)]).toEqual(before)
    expect(before[0]).toHaveLength(1)
    expect(await chat(nas, 9990, 'coder')).toMatchObject({ status: 200 })
  }

  it('another one that lacks a flag of the launch: the old container runs on', async () => {
    await write({ image: 'house/server:older' })
    expect(changesOn(expectExit(await site.run(['plan', '--json']), 0).plan(), 'nas')).toEqual(['update coder'])
    await expectLeftAlone()
  })

  it('a newer one under the same name that lacks it', async () => {
    await mustExec(nas, `docker tag ${official} house/server:kept && docker tag house/server:older ${official}`)
    await write()
    const plan = expectExit(await site.run(['plan', '--json']), 0).plan()
    expect(actionsOn(plan, 'nas')).toMatchObject([{ kind: 'restart', changes: [{ field: 'running.image' }] }])
    await expectLeftAlone()
    await mustExec(nas, `docker tag house/server:kept ${official}`)
    expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
  })

  it('one without a help to be had: that is said, and it takes the place', async () => {
    const before = await server()
    await write({ image: 'house/server:silent' })
    const applied = expectExit(await site.run(['apply', '-y']), 0)
    expectWords(applied.transcript.replaceAll(/\s+/g, ' '), ['its help could not be read'])
    expect(await server()).not.toEqual(before)
    expect(await chat(nas, 9990, 'coder')).toMatchObject({ status: 200 })
  })

  it('a known one: no container but its own is left', async () => {
    await write()
    expectExit(await site.run(['apply', '-y']), 0)
    expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
    expect(await mustExec(nas, "docker ps -a --format '{{.Names}}'")).toBe('coder')
  })
})
