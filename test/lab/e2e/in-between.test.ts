import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { expectExit, kindA, machine, openSite, type Site } from './site.ts'

const image = 'ghcr.io/ggml-org/llama.cpp:server'

/** The engine takes its time to look for an image, as it does when it has to fetch one; meanwhile people do something. */
const slowEngine = `#!/bin/sh
case "$1 $2 $3" in "image inspect ghcr"*) [ ! -e /run/meanwhile ] || { mv /run/meanwhile /run/doing; sh /run/doing >/run/said 2>&1; } ;; esac
exec /usr/bin/docker "$@"
`

/** Each test begins with the server that was applied; what is in its way is taken away by the test before it. */
describe.skipIf(noLab)('what people do between two steps', () => {
  let lab: Lab
  let site: Site
  let nas: LabHost
  const onNas = (more: object = {}) => site.write({ nas: machine({ coder: kindA({ ...more }) }) })
  const meanwhile = (script: string) => mustExec(nas, `cat >/run/meanwhile <<'EOF'\n${script}\nEOF`)
  const containers = () => mustExec(nas, `docker ps -a --format '{{.Names}} {{.State}}' | sort`)

  beforeAll(async () => {
    lab = await startLab([{ name: 'nas', kind: 'nas' }])
    nas = lab.host('nas')
    site = await openSite(lab.sshConfigFile)
    await mustExec(nas, `cat >/usr/local/bin/docker <<'EOF'\n${slowEngine}\nEOF\nchmod +x /usr/local/bin/docker`)
    await onNas()
    expectExit(await site.run(['apply', '-y']), 0)
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  it('their container with the name of ours is left alone, and ours too', async () => {
    await onNas({ ctx_size: 1024 })
    await meanwhile(
      `docker rename coder coder-mine; docker run -d --name coder --entrypoint sh ${image} -c 'exec sleep 100000'; docker exec coder sh -c 'echo precious >/data'`,
    )
    const outcome = expectExit(await site.run(['apply', '-y']), 5)
    expect(outcome.stdout).toContain('no server was touched')
    expect(await containers()).toBe('coder running\ncoder-mine running')
    expect(await mustExec(nas, 'docker exec coder cat /data')).toBe('precious')
    expect(await mustExec(nas, 'cat /etc/converge/compose/coder/compose.yaml')).toContain('2048')
    await mustExec(nas, 'docker rm -f coder && docker rename coder-mine coder')
  })

  it('a restart of theirs is not made undone', async () => {
    await onNas({ ctx_size: 1024 })
    await meanwhile('docker restart coder')
    const outcome = expectExit(await site.run(['apply', '-y']), 5)
    expect(outcome.stdout).toContain('no server was touched')
    expect(await mustExec(nas, `docker inspect -f '{{.RestartCount}} {{.State.Running}} {{.Config.Cmd}}' coder`)).toContain(
      '2048',
    )
  })

  it('a server that they started is not stopped because our start came too late', async () => {
    await onNas()
    await mustExec(nas, 'docker stop coder')
    await meanwhile('docker start coder')
    expectExit(await site.run(['apply', '-y']), 5)
    expect(await containers()).toBe('coder running')
    expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
  })

  it('a link that they made in place of the definition is neither followed nor replaced', async () => {
    const file = '/etc/converge/compose/coder/compose.yaml'
    await mustExec(nas, `mkdir -p /srv/dots && mv ${file} /srv/dots/c.yaml && ln -s /srv/dots/c.yaml ${file}`)
    await onNas({ ctx_size: 1024 })
    expectExit(await site.run(['apply', '-y']), 5)
    expect(await mustExec(nas, `readlink ${file}; ls /etc/converge/compose/coder`)).toBe('/srv/dots/c.yaml\ncompose.yaml')
    await mustExec(nas, `rm ${file} && mv /srv/dots/c.yaml ${file}`)
  })

  it('a saved plan is not done after what they did, nor another one, nor twice', async () => {
    const file = join(site.directory, 'plan.json')
    const kept = join(site.directory, 'kept.json')
    const apply = async (code: number, word = '') => {
      const { stderr } = expectExit(await site.run(['apply', file, '-y']), code)
      expect(stderr).toContain(word)
    }
    await onNas({ ctx_size: 1024 })
    expectExit(await site.run(['plan', '--out', file]), 0)
    await mustExec(nas, 'docker compose -p coder -f /etc/converge/compose/coder/compose.yaml up -d --force-recreate 2>&1')
    const before = await containers()
    await apply(7, 'the container was recreated')

    expectExit(await site.run(['plan', '--out', file]), 0)
    await onNas({ ctx_size: 512 })
    await apply(7, 'PLAN.OTHER_INPUT')
    await onNas({ ctx_size: 1024 })
    await copyFile(file, kept)
    await writeFile(file, (await readFile(file, 'utf8')).replace(/"tool": "[^"]*"/, '"tool": "9.9.9"'))
    await apply(7, 'PLAN.OTHER_VERSION')
    expect(await containers()).toBe(before)
    expect(await mustExec(nas, 'cat /etc/converge/compose/coder/compose.yaml')).toContain('2048')

    await copyFile(kept, file)
    await apply(0)
    await apply(7, 'PLAN.USED')
    expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
  })

  it('a container of theirs in place of our stopped one is not stopped', async () => {
    await onNas({ ctx_size: 1024 })
    await mustExec(nas, 'docker stop coder')
    await meanwhile(`docker rm coder; docker run -d --name coder --entrypoint sleep ${image} 100000`)
    expectExit(await site.run(['apply', '-y']), 5)
    expect(await containers()).toBe('coder running')
  })
})
