import { readFile } from 'node:fs/promises'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { command } from './converge.ts'
import { freezeNext, isFrozen } from './freezing-engine.ts'
import { ask, chat, processesOf } from './model-server.ts'
import {
  applied,
  asRoot,
  changesOn,
  expectExit,
  hostPlan,
  kindA,
  machine,
  openSite,
  planOf,
  refusalsOn,
  type Site,
  serviceKey,
} from './site.ts'

const file = '/srv/ai/compose.yaml'
/** As the file has it: the folder beside it is a link. */
const model = { path: '/srv/ai/models/tiny/tiny.gguf' }
const servers = (host: LabHost) => processesOf(host, '^[^ ]*llama-server ')

const before = `# everything for the chat; ask Anna before you change it
x-restart: &restart { restart: always }   # not for the model

services:

  # the model
`
const block = `    "llama":
      image: ghcr.io/ggml-org/llama.cpp:server
      container_name: llama-chat   # the proxy knows this name
      ports: [ "9990:8080" ]
      volumes:
        - ./models:/data:ro
      environment:
        - LLAMA_ARG_CTX_SIZE=2048
      command: >-
        -m /data/tiny/tiny.gguf --host 0.0.0.0 --port 8080 -a chat
        -t 2 --jinja --cache-ram 64 --api-key ${serviceKey}
      restart: always
`
const after = `    # the page that people use
    webui:
        <<: *restart
        image: "ghcr.io/ggml-org/llama.cpp:server"
        entrypoint: ["sleep", "infinity"]
        environment:
            MODEL: "http://llama:8080"
            OPENAI_API_KEY: ${serviceKey}
            WEBUI_SECRET_KEY: not-known-to-converge-3141   # its own
        labels:
        - mode=0644
`
const text = before.replace('  # the model', '    # the model') + block + after

const patient = { timeout: 90_000, interval: 500 }

/** A compose file that a person wrote, whose containers run; each test goes on where the one before it ended. */
describe.skipIf(noLab)('a service of a compose file that a person wrote', () => {
  let lab: Lab
  let site: Site
  let nas: LabHost
  const write = (more: object = {}) =>
    site.write({
      nas: machine({ chat: kindA({ file, file_service: 'llama', container: 'llama-chat', model, ...more }) }, asRoot),
    })
  const bytes = () => mustExec(nas, `cat ${file}; stat -c '%Y %i %U %a' ${file}`)
  const containerOf = (...names: readonly string[]) =>
    mustExec(nas, `docker inspect -f '{{.Id}} {{.State.Pid}} {{.State.StartedAt}} {{.RestartCount}}' ${names.join(' ')}`)
  const both = () => containerOf('llama-chat', 'ai-webui-1')
  const content = () => mustExec(nas, `cat ${file}; echo .`)

  beforeAll(async () => {
    lab = await startLab([{ name: 'nas', kind: 'nas' }])
    nas = lab.host('nas')
    site = await openSite(lab.sshConfigFile, { LAB_KEY: serviceKey, CONVERGE_KEY_NAS_CHAT: serviceKey })
    await mustExec(nas, 'mkdir -p /srv/ai && ln -s /srv/models /srv/ai/models')
    await mustExec(nas, `cat > ${file} && chmod 640 ${file}`, { stdin: text })
    await mustExec(nas, 'cd /srv/ai && docker compose up -d 2>&1')
    await mustExec(
      nas,
      'for i in $(seq 60); do curl -fsS -o /dev/null http://127.0.0.1:9990/health && exit 0; sleep 0.5; done; exit 1',
    )
    await site.write({ nas: machine({}, asRoot) })
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  it('was edited after its container started: people choose what is right', async () => {
    const seen = [await both()]
    await mustExec(nas, `sleep 1; sed -i 's/-t 2 --jinja/-t 1 --jinja/; s/CTX_SIZE=2048/CTX_SIZE=1024/' ${file}`)
    const edited = await bytes()
    expect(expectExit(await site.run(['adopt']), 3).stdout).toContain('ADOPT.STALE_FILE')
    const running = expectExit(await site.run(['adopt', '--from', 'running']), 3).stdout
    expect(running).toMatch(/ctx_size: 2048/)
    expect(running).toMatch(/threads: 2/)
    const desired = expectExit(await site.run(['adopt', '--from', 'file']), 3).stdout
    expect(desired).toMatch(/ctx_size: 1024/)
    expect(desired).toMatch(/threads: 1/)
    expect([await both(), await bytes()]).toEqual([...seen, edited])
    await mustExec(nas, `cat > ${file}`, { stdin: text })
  })

  it('is found, and written into the inventory; the page beside it is no model server', async () => {
    const seen = [await both(), await bytes()]
    const { stdout, stderr } = expectExit(await site.run(['adopt', '--write']), 0)
    expect(stdout).toMatch(
      /⌂ chat {2}llama-server \(A\), the container llama-chat of the compose project ai, port 9990, tiny\.gguf/,
    )
    expect(stdout).toContain('Found one server')
    expect(stdout + stderr).not.toContain(serviceKey)
    const inventory = await readFile(`${site.inventory}/hosts.yaml`, 'utf8')
    for (const line of ['file: /srv/ai/compose.yaml', 'file_service: llama', 'container: llama-chat', `path: ${model.path}`])
      expect(inventory).toContain(line)
    expect([await both(), await bytes()]).toEqual(seen)
  })

  it('is adopted: the plan has this action alone, and shows what would change some day', async () => {
    const plan = expectExit(await site.run(['plan', '--json', '--detailed-exitcode']), 2).plan()
    expect(refusalsOn(plan, 'nas')).toEqual([])
    expect(changesOn(plan, 'nas')).toEqual(['adopt chat'])
    expect(hostPlan(plan, 'nas').actions[0]).toMatchObject({
      interrupts: false,
      starts: false,
      note: expect.stringContaining('restart always → unless-stopped'),
    })
  })

  it('keeps its bytes, its container and its process', async () => {
    const seen = [await servers(nas), await both(), await bytes()]
    const report = expectExit(await site.run(['apply', '-y', '--json']), 0).report()
    expect(report.hosts[0]?.actions).toMatchObject([{ action: 'nas/chat/adopt', status: 'applied' }])
    expect(report.hosts[0]?.smoke).toMatchObject([{ service: 'chat', ok: true }])
    expect([await servers(nas), await both(), await bytes()]).toEqual(seen)
    expect(await chat(nas, 9990, 'chat')).toMatchObject({ status: 200 })
  })

  it('is then in the desired state, without drift', async () => {
    expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
    expectExit(await site.run(['drift']), 0)
    expect(expectExit(await site.run(['status']), 0).stdout).toMatch(/chat .*running/)
  })

  it('stays adopted when another service of the file is edited', async () => {
    await mustExec(nas, `sed -i 's/# the page that people use/# the page/' ${file}`)
    expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
    expectExit(await site.run(['drift']), 0)
    await mustExec(nas, `sed -i 's/# the page$/# the page that people use/' ${file}`)
    expect(await content()).toBe(`${text}.`)
  })

  it('is restored, with its container, if the new one does not work', async () => {
    const other = await containerOf('ai-webui-1')
    await write({ extra_args: ['--cache-ram', '64', '--lora', '/models/none.gguf'] })
    expectExit(await site.run(['apply', '-y']), 5)
    expect(await content()).toBe(`${text}.`)
    expect(await chat(nas, 9990, 'chat')).toMatchObject({ status: 200 })
    expect(await containerOf('ai-webui-1')).toBe(other)
    await write()
    expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
  })

  it('is restored by the host itself if the run is gone before the new server is proved', { timeout: 240_000 }, async () => {
    const other = await containerOf('ai-webui-1')
    await freezeNext(nas, 'llama-chat')
    await write({ ctx_size: 512, ready_timeout: 600 })
    const [program = '', ...words] = command
    const options = { env: site.environment(), extendEnv: false, cwd: site.home, stdin: 'ignore', reject: false } as const
    const run = execa(program, [...words, ...site.arguments(['apply', '-y'])], options)
    await expect.poll(() => isFrozen(nas), patient).toBe(true)
    await mustExec(nas, 'echo 8 >"$(echo /etc/converge/deadman/*.armed)/patience"')
    run.kill('SIGKILL')
    await run
    await expect.poll(() => mustExec(nas, 'ls /etc/converge/deadman 2>/dev/null || :'), patient).toMatch(/^\w+\.undone$/)
    expect(await content()).toBe(`${text}.`)
    expect(await containerOf('ai-webui-1')).toBe(other)
    await expect.poll(async () => (await chat(nas, 9990, 'chat')).status, patient).toBe(200)
    await mustExec(nas, 'rm /usr/local/bin/docker')
    await write()
    expectExit(await site.run(['apply', '-y']), 0)
    expect(await content()).toBe(`${text}.`)
  })

  it('gets another context size: only its lines and its container change', async () => {
    const [container, other] = (await both()).split('\n')
    await write({ ctx_size: 1024 })
    const report = await applied(site)
    expect(changesOn(planOf(report), 'nas')).toEqual(['update chat'])
    expect(JSON.stringify(report)).not.toContain(serviceKey)
    const now = await content()
    const head = text.slice(0, text.indexOf(block))
    expect(now.slice(0, head.length)).toBe(head)
    expect(now.slice(-after.length - 1)).toBe(`${after}.`)
    expect(now).toContain('# converge: managed com.lab.chat')
    expect(await mustExec(nas, `stat -c '%a %U' ${file}`)).toBe('640 root')
    expect(await containerOf('llama-chat')).not.toBe(container)
    expect(await containerOf('ai-webui-1')).toBe(other)
    expect(await mustExec(nas, 'docker exec ai-webui-1 curl -fsS http://llama:8080/health')).toContain('ok')
    expect(await ask(nas, 9990, '/props')).toMatchObject({ body: { default_generation_settings: { n_ctx: 1024 } } })
    expectExit(await site.run(['drift']), 0)
  })

  it('is released from what converge wrote: the header goes, every other line stays; and is adopted again', async () => {
    const [managed, containers] = [await content(), await both()]
    expectExit(await site.run(['release', 'chat@nas', '-y']), 0)
    const header = /^ +# (converge: managed|The model server chat|overwritten by)/
    const kept = managed.split('\n').filter((line) => !header.test(line))
    expect(managed.split('\n').length - kept.length).toBe(3)
    expect((await content()).split('\n')).toEqual(kept)
    expect(await both()).toBe(containers)
    expectExit(await site.run(['plan', '--detailed-exitcode']), 0)
    await write({ ctx_size: 1024 })
    expect(changesOn(planOf(await applied(site)), 'nas')).toEqual(['adopt chat'])
    expect((await content()).split('\n')).toEqual(kept)
    expect(await both()).toBe(containers)
  })

  it('is stopped and started, and the other service notices nothing', async () => {
    const other = await containerOf('ai-webui-1')
    await write({ ctx_size: 1024, state: 'stopped' })
    await applied(site)
    expect(await servers(nas)).toEqual([])
    await write({ ctx_size: 1024 })
    expectExit(await site.run(['apply', '-y']), 0)
    expect(await chat(nas, 9990, 'chat')).toMatchObject({ status: 200 })
    expect(await containerOf('ai-webui-1')).toBe(other)
  })

  it('is removed with `state: absent`: its lines and its container, and nothing else', async () => {
    const other = await containerOf('ai-webui-1')
    await write({ ctx_size: 1024, state: 'absent' })
    expect(changesOn(planOf(await applied(site)), 'nas')).toEqual(['remove chat'])
    expect(await content()).toBe(`${text.slice(0, text.indexOf('    # the model\n'))}${after}.`)
    expect(await mustExec(nas, 'docker ps -a --format "{{.Names}}"; docker network ls --format "{{.Name}}" | grep ai')).toBe(
      'ai-webui-1\nai_default',
    )
    expect(await containerOf('ai-webui-1')).toBe(other)
  })

  it('is added to the file again', async () => {
    const other = await containerOf('ai-webui-1')
    await write({ ctx_size: 1024 })
    expect(changesOn(planOf(await applied(site)), 'nas')).toEqual(['install chat', 'start chat'])
    expect(await chat(nas, 9990, 'chat')).toMatchObject({ status: 200 })
    expect((await content()).startsWith(`${text.slice(0, text.indexOf('    # the model\n'))}${after}`)).toBe(true)
    expect(await containerOf('ai-webui-1')).toBe(other)
  })
})
