import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { processesOf } from './model-server.ts'
import { changesOn, expectExit, hostPlan, machine, openSite, refusalsOn, type Site } from './site.ts'

/** As it answers: the port is the same outside, the folder is not. */
const container = `docker run -d --name brave -p 127.0.0.1:9996:8080 -v /srv/models/tiny:/data ghcr.io/ggml-org/llama.cpp:server \
  -m /data/tiny.gguf --host 0.0.0.0 --port 8080 -c 2048 --cache-ram 0 --alias helper`

const ready = 'for i in $(seq 120); do curl -fsS -o /dev/null http://127.0.0.1:9996/health && exit 0; sleep 0.5; done; exit 1'

const servers = (host: LabHost) => processesOf(host, '^/usr/bin/llama-server ')

/** A server that was started by hand; each test goes on where the one before it ended. */
describe.skipIf(noLab)('a server that was started by hand', () => {
  let lab: Lab
  let site: Site
  let box: LabHost

  beforeAll(async () => {
    lab = await startLab([{ name: 'metal', kind: 'metal' }])
    box = lab.host('metal')
    site = await openSite(lab.sshConfigFile, {})
    const command =
      '/usr/bin/llama-server -m /srv/models/tiny/tiny.gguf --host 127.0.0.1 --port 9996 -c 2048 --cache-ram 0 --alias coder'
    await mustExec(box, `systemd-run --scope --quiet nohup ${command} >/dev/null 2>&1 &`)
    await mustExec(box, ready)
    await site.write({ metal: machine() })
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  it('is described in the inventory, with the restart that it needs', async () => {
    const { stdout } = expectExit(await site.run(['adopt', '--write']), 3)
    expect(stdout).toMatch(/↻ coder {2}llama-server \(A\), started by hand, port 9996, tiny\.gguf, alias coder/)
    expect(stdout).toContain('ADOPT.NEEDS_RESTART')
    expect(await readFile(`${site.inventory}/hosts.yaml`, 'utf8')).toContain('manager: systemd')
  })

  it('is left alone without an approval', async () => {
    const before = await servers(box)
    const plan = expectExit(await site.run(['plan', '--json']), 3).plan()
    expect(refusalsOn(plan, 'metal')).toEqual(['ADOPT.NEEDS_RESTART coder'])
    expect(hostPlan(plan, 'metal').held_back).toMatchObject([{ kind: 'restart', ends: { pid: before[0]?.pid } }])
    expectExit(await site.run(['apply', '-y']), 3)
    expect(await servers(box)).toEqual(before)
    expect(await mustExec(box, 'systemctl is-enabled coder 2>&1 || :')).toBe('disabled')
  })

  it('is ended and started under systemd once a person approves it', async () => {
    const before = await servers(box)
    const allow = ['--allow', 'ADOPT.NEEDS_RESTART@coder', '--reason', 'now is fine']
    const plan = expectExit(await site.run(['plan', '--json', ...allow]), 0).plan()
    expect(changesOn(plan, 'metal')).toEqual(['restart coder'])
    const report = expectExit(await site.run(['apply', '-y', '--json', ...allow]), 0).report()
    expect(report.hosts[0]?.smoke).toMatchObject([{ service: 'coder', ok: true }])
    const after = await servers(box)
    expect(after).toHaveLength(1)
    expect(after[0]?.pid).not.toBe(before[0]?.pid)
    expect(await mustExec(box, 'systemctl show --value -p MainPID coder')).toBe(String(after[0]?.pid))
  })
})

describe.skipIf(noLab)('a container of `docker run`', () => {
  let lab: Lab
  let site: Site
  let nas: LabHost
  const brave = () => mustExec(nas, "docker inspect -f '{{.State.Status}} {{.State.Pid}} {{.State.StartedAt}}' brave")

  beforeAll(async () => {
    lab = await startLab([{ name: 'nas', kind: 'nas' }])
    nas = lab.host('nas')
    site = await openSite(lab.sshConfigFile, {})
    await mustExec(nas, container)
    await mustExec(nas, ready)
    await site.write({ nas: machine() })
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  it('is described in the inventory with its folder and its port on the host, and left alone', async () => {
    const before = await brave()
    const { stdout } = expectExit(await site.run(['adopt', '--write']), 3)
    expect(stdout).toMatch(/↻ helper {2}llama-server \(A\), the container brave, port 9996, tiny\.gguf, alias helper/)
    expect(stdout).toContain('ADOPT.NEEDS_RESTART')
    expect(await readFile(`${site.inventory}/hosts.yaml`, 'utf8')).toContain('path: /srv/models/tiny/tiny.gguf')
    const plan = expectExit(await site.run(['plan', '--json']), 3).plan()
    expect(refusalsOn(plan, 'nas')).toEqual(['ADOPT.NEEDS_RESTART helper'])
    expectExit(await site.run(['apply', '-y']), 3)
    expect(await brave()).toBe(before)
  })

  it('is stopped and replaced once a person approves it', async () => {
    const allow = ['--allow', 'ADOPT.NEEDS_RESTART@helper', '--reason', 'now is fine']
    const report = expectExit(await site.run(['apply', '-y', '--json', ...allow]), 0).report()
    expect(report.hosts[0]?.smoke).toMatchObject([{ service: 'helper', ok: true }])
    expect(await brave()).toMatch(/^exited /)
    expect(await mustExec(nas, "docker inspect -f '{{.State.Status}}' helper")).toBe('running')
  })
})
