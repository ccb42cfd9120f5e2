import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { chat, processesOf } from './model-server.ts'
import { actionsOn, asRoot, changesOn, expectExit, expectWords, kindA, machine, openSite, type Site } from './site.ts'

const official = 'ghcr.io/ggml-org/llama.cpp:server'
const definition = '/etc/converge/compose/coder/compose.yaml'

/** The engine takes its time to look for an image, as it does when it has to fetch one; meanwhile people do something. */
const slowEngine = `#!/bin/sh
case "$1 $2 $3" in "image inspect ghcr"*) [ ! -e /run/meanwhile ] || { mv /run/meanwhile /run/doing; sh /run/doing >/run/said 2>&1; } ;; esac
exec /usr/bin/docker "$@"
`

/** What is found out before a step of a change; each test goes on where the one before it ended. */
describe.skipIf(noLab)('just before a change of a running server', () => {
  let lab: Lab
  let site: Site
  let nas: LabHost
  const write = (more: object = {}) => site.write({ nas: machine({ coder: kindA({ ...more }) }, asRoot) })

  beforeAll(async () => {
    lab = await startLab([{ name: 'nas', kind: 'nas' }])
    nas = lab.host('nas')
    site = await openSite(lab.sshConfigFile)
    await write()
    expectExit(await site.run(['apply', '-y']), 0)
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  const server = () => processesOf(nas, '^[^ ]*llama-server --host')
  const meanwhile = (script: string) => mustExec(nas, `cat >/run/meanwhile <<'EOF'\n${script}\nEOF`)
  const containers = () => mustExec(nas, `docker ps -a --format '{{.Names}} {{.State}}' | sort`)

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

  describe('an image that is to take its place', () => {
    beforeAll(async () => {
      await build(nas, 'house/server:older', '/usr/bin/llama-server --help 2>&1 | grep -v -e --jinja')
      await build(nas, 'house/server:silent', 'echo nothing to say')
    })

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
      expect(await mustExec(nas, "docker ps -a --format '{{.Names}}'")).toBe('coder')
    })
  })

  describe('what people do', () => {
    beforeAll(() => mustExec(nas, `cat >/usr/local/bin/docker <<'EOF'\n${slowEngine}\nEOF\nchmod +x /usr/local/bin/docker`))

    it('their container with the name of ours is left alone, and ours too', async () => {
      await write({ ctx_size: 1024 })
      await meanwhile(
        `docker rename coder coder-mine; docker run -d --name coder --entrypoint sh ${official} -c 'exec sleep 100000'; docker exec coder sh -c 'echo precious >/data'`,
      )
      const outcome = expectExit(await site.run(['apply', '-y']), 5)
      expect(outcome.stdout).toContain('no server was touched')
      expect(await containers()).toBe('coder running\ncoder-mine running')
      expect(await mustExec(nas, 'docker exec coder cat /data')).toBe('precious')
      expect(await mustExec(nas, `cat ${definition}`)).toContain('2048')
      await mustExec(nas, 'docker rm -f coder && docker rename coder-mine coder')
    })

    it('a restart of theirs is not made undone', async () => {
      await write({ ctx_size: 1024 })
      await meanwhile('docker restart coder')
      const outcome = expectExit(await site.run(['apply', '-y']), 5)
      expect(outcome.stdout).toContain('no server was touched')
      expect(await mustExec(nas, `docker inspect -f '{{.RestartCount}} {{.State.Running}} {{.Config.Cmd}}' coder`)).toContain(
        '2048',
      )
    })

    it('a server that they started is not stopped because our start came too late', async () => {
      await write()
      await mustExec(nas, 'docker stop coder')
      await meanwhile('docker start coder')
      expectExit(await site.run(['apply', '-y']), 5)
      expect(await containers()).toBe('coder running')
      expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
    })

    it('a link that they made in place of the definition is neither followed nor replaced', async () => {
      await mustExec(nas, `mkdir -p /srv/dots && mv ${definition} /srv/dots/c.yaml && ln -s /srv/dots/c.yaml ${definition}`)
      await write({ ctx_size: 1024 })
      expectExit(await site.run(['apply', '-y']), 5)
      expect(await mustExec(nas, `readlink ${definition}; ls /etc/converge/compose/coder`)).toBe('/srv/dots/c.yaml\ncompose.yaml')
      await mustExec(nas, `rm ${definition} && mv /srv/dots/c.yaml ${definition}`)
    })

    it('a saved plan is not done after what they did, nor another one, nor twice', async () => {
      const file = join(site.directory, 'plan.json')
      const kept = join(site.directory, 'kept.json')
      const apply = async (code: number, word = '') => {
        const { stderr } = expectExit(await site.run(['apply', file, '-y']), code)
        expect(stderr).toContain(word)
      }
      await write({ ctx_size: 1024 })
      expectExit(await site.run(['plan', '--out', file]), 0)
      await mustExec(nas, `docker compose -p coder -f ${definition} up -d --force-recreate 2>&1`)
      const before = await containers()
      await apply(7, 'the container was recreated')

      expectExit(await site.run(['plan', '--out', file]), 0)
      await write({ ctx_size: 512 })
      await apply(7, 'PLAN.OTHER_INPUT')
      await write({ ctx_size: 1024 })
      await copyFile(file, kept)
      await writeFile(file, (await readFile(file, 'utf8')).replace(/"tool": "[^"]*"/, '"tool": "9.9.9"'))
      await apply(7, 'PLAN.OTHER_VERSION')
      expect(await containers()).toBe(before)
      expect(await mustExec(nas, `cat ${definition}`)).toContain('2048')

      await copyFile(kept, file)
      await apply(0)
      await apply(7, 'PLAN.USED')
      expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
    })

    it('a container of theirs in place of our stopped one is not stopped', async () => {
      await write({ ctx_size: 1024 })
      await mustExec(nas, 'docker stop coder')
      await meanwhile(`docker rm coder; docker run -d --name coder --entrypoint sleep ${official} 100000`)
      expectExit(await site.run(['apply', '-y']), 5)
      expect(await containers()).toBe('coder running')
    })
  })
})

/** The official image with a script in front of its server. */
async function build(nas: LabHost, name: string, help: string): Promise<void> {
  await mustExec(
    nas,
    `cat > /tmp/server <<'SCRIPT'
#!/bin/sh
case $1 in --help) ${help}; exit ;; esac
exec /usr/bin/llama-server "$@"
SCRIPT
chmod 755 /tmp/server && made=$(docker create ${official}) && docker cp -q /tmp/server "$made:/usr/bin/server" >/dev/null &&
docker commit --change 'ENTRYPOINT ["/usr/bin/server"]' "$made" ${name} >/dev/null && docker rm "$made" >/dev/null`,
  )
}
