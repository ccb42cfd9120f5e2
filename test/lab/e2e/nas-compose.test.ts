import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type LabHost, mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { inBackground } from './interruptible.ts'
import { connectionsEnded, difference, marksOf } from './marks.ts'
import { ask, chat, processesOf, until } from './model-server.ts'
import {
  actionsOn,
  applied,
  changesOn,
  expectExit,
  hostPlan,
  kindA,
  machine,
  openSite,
  planOf,
  refusalsOn,
  type Site,
} from './site.ts'

const definition = '/etc/converge/compose/coder/compose.yaml'
const servers = (host: LabHost) => processesOf(host, '^[^ ]*llama-server ')

/** One service from nothing to gone, on a NAS of its own; each test goes on where the one before it ended. */
describe.skipIf(noLab)('a Kind A under compose on a NAS', () => {
  let lab: Lab
  let site: Site
  let nas: LabHost
  const coder = (more: object = {}) => site.write({ nas: machine({ coder: kindA({ ...more }) }) })

  beforeAll(async () => {
    lab = await startLab([{ name: 'nas', kind: 'nas' }])
    nas = lab.host('nas')
    site = await openSite(lab.sshConfigFile)
    await mustExec(nas, 'docker run -d --name foreign --entrypoint sleep ghcr.io/ggml-org/llama.cpp:server infinity')
    await coder()
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  it('says with --detailed-exitcode that changes are pending', async () => {
    const { stdout } = expectExit(await site.run(['plan', '--detailed-exitcode']), 2)
    expect(stdout).toMatch(/install.*coder/)
    expect(stdout).toMatch(/start.*coder/)
  })

  it('plans to install and start it, and leaves no trace on the host', async () => {
    // The processes of the connection before, which left the traces of a first login, are none of it.
    await connectionsEnded(nas)
    const before = await marksOf(nas)
    const since = await mustExec(nas, 'date +%s.%N')
    const plan = expectExit(await site.run(['plan', '--json']), 0).plan()
    expect(changesOn(plan, 'nas')).toEqual(['install coder', 'start coder'])
    expect(plan.summary).toMatchObject({ hosts: 1, changes: 2, refusals: 0, unreachable: 0 })
    await connectionsEnded(nas)
    const changed = await until(
      async () => difference(before, await marksOf(nas)),
      (seen) => seen.length === 0,
    )
    expect(changed).toEqual([])
    expect(await mustExec(nas, `docker events --since ${since} --until "$(date +%s.%N)"`)).toBe('')
  })

  it('wants a yes where there is no terminal to ask on', async () => {
    const { stderr } = expectExit(await site.run(['apply']), 64)
    expect(stderr).toContain('-y')
    expect(await servers(nas)).toEqual([])
  })

  it('applies, and proves that it works', async () => {
    const report = expectExit(await site.run(['apply', '-y', '--json']), 0).report()
    const [host] = report.hosts
    expect(host?.actions.map(({ action, status }) => [action, status])).toEqual([
      ['nas/coder/install', 'applied'],
      ['nas/coder/start', 'applied'],
    ])
    expect(host?.smoke).toMatchObject([{ service: 'coder', ok: true }])
    const proved = host?.smoke[0]?.checks.filter((check) => check.ok && check.skipped === undefined).map(({ name }) => name)
    expect(proved).toEqual(expect.arrayContaining(['co-run', 'health', 'models', 'key', 'completion', 'port-owner']))
    expect(report.second_plan).toMatchObject({ changes: 0 })
    expect(report.exit_code).toBe(0)
  })

  it('has written the definition as the specification fixes it', async () => {
    const content: unknown = parse(await mustExec(nas, `cat ${definition}`))
    expect(content).toMatchObject({
      services: {
        coder: {
          container_name: 'coder',
          image: 'ghcr.io/ggml-org/llama.cpp:server',
          restart: 'unless-stopped',
          ports: ['9990:9990'],
          volumes: expect.arrayContaining(['/srv/models/tiny:/models:ro']),
          command: expect.arrayContaining(['--model', '/models/tiny.gguf']),
        },
      },
    })
    expect(await mustExec(nas, `stat -c '%a %U' ${definition}`)).toBe('644 root')
    expect(await mustExec(nas, `docker compose -f ${definition} config -q 2>&1`)).toBe('')
  })

  it('runs a container as the specification fixes it', async () => {
    const [container]: readonly Container[] = JSON.parse(await mustExec(nas, 'docker inspect coder'))
    expect(container).toMatchObject({
      Config: { Image: 'ghcr.io/ggml-org/llama.cpp:server' },
      HostConfig: { RestartPolicy: { Name: 'unless-stopped' } },
      State: { Status: 'running' },
    })
    expect(container?.HostConfig.PortBindings).toEqual({ '9990/tcp': [expect.objectContaining({ HostPort: '9990' })] })
    const mounts = container?.Mounts.map(({ Source, Destination, RW }) => ({ Source, Destination, RW })) ?? []
    expect(mounts).toContainEqual({ Source: '/srv/models/tiny', Destination: '/models', RW: false })
    expect(mounts.filter(({ RW }) => RW)).toEqual([])
    // The table of the specification has no word on the place of --threads.
    const command = container?.Config.Cmd ?? []
    const threads = command.indexOf('--threads')
    expect(command.slice(threads, threads + 2)).toEqual(['--threads', '2'])
    const words = command.toSpliced(threads, 2).join(' ')
    expect(words).toMatch(
      /^--host 0\.0\.0\.0 --port 9990 --model \/models\/tiny\.gguf --alias coder --ctx-size 2048 --jinja --api-key-file \/\S+ --cache-ram 64$/,
    )
  })

  it('answers a chat only with the key', async () => {
    expect(await chat(nas, 9990, 'coder')).toMatchObject({ status: 200, body: { object: 'chat.completion', model: 'coder' } })
    expect(await chat(nas, 9990, 'coder', '')).toMatchObject({ status: 401 })
    expect(await chat(nas, 9990, 'coder', 'wrong')).toMatchObject({ status: 401 })
    expect(await ask(nas, 9990, '/v1/models')).toMatchObject({ status: 200, body: { data: [{ id: 'coder' }] } })
  })

  it('does not blame the server for a key that cannot be had here', async () => {
    const { stdout } = expectExit(await site.run(['verify'], { env: { LAB_KEY: '' } }), 6)
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/model listed: not asked, because its key is not available here: .*LAB_KEY/)
  })

  it('reports the state in one line per service', async () => {
    const [server] = await servers(nas)
    const { stdout } = expectExit(await site.run(['status']), 0)
    expect(stdout).toMatch(new RegExp(`nas\\s+coder\\s+A \\(gguf\\)\\s+running\\s+running\\s+9990\\s+${server?.pid}\\s`))
  })

  it('applies another context size, and is then in the desired state again', async () => {
    await coder({ ctx_size: 1024 })
    const plan = planOf(await applied(site))
    expect(changesOn(plan, 'nas')).toEqual(['update coder'])
    const [update] = actionsOn(plan, 'nas')
    expect(update?.changes).toContainEqual(expect.objectContaining({ from: '2048', to: '1024', effect: 'cheap-restart' }))
    expect(update?.diff).toMatch(/^-.*"?2048"?/m)
    expect(update?.diff).toMatch(/^\+.*"?1024"?/m)
    expect(await ask(nas, 9990, '/props')).toMatchObject({ status: 200, body: { default_generation_settings: { n_ctx: 1024 } } })
  })

  it('starts a container again that a person stopped', async () => {
    await mustExec(nas, 'docker stop coder')
    expect(changesOn(planOf(await applied(site)), 'nas')).toEqual(['start coder'])
    expect(await chat(nas, 9990, 'coder')).toMatchObject({ status: 200 })
  })

  it('is stopped on request, stays stopped while that lasts, and starts again after it', async () => {
    const over = Date.now() + 45_000
    expectExit(await site.run(['stop', 'coder', '--until', '45s', '-y']), 0)
    expect(await servers(nas)).toEqual([])
    expectExit(await site.run(['apply', '-y']), 0)
    expect(await servers(nas)).toEqual([])
    await sleep(over - Date.now() + 4000)
    expect(changesOn(planOf(await applied(site)), 'nas')).toEqual(['start coder'])
  })

  it('is restarted on request when its answer is out', async () => {
    const [before] = await servers(nas)
    // The small model is too fast to be found at work.
    await mustExec(nas, 'docker update --cpu-quota 1000 coder')
    const body = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 900, ignore_eos: true }
    const answer = ask(nas, 9990, '/v1/chat/completions', { body, seconds: 170 })
    await expect
      .poll(async () => (await ask(nas, 9990, '/slots')).body)
      .toContainEqual(expect.objectContaining({ is_processing: true }))
    expect(expectExit(await site.run(['restart', 'coder', '-y']), 3).transcript).toContain('SERVICE.BUSY')
    await using restarting = inBackground(site, ['restart', 'coder@nas', '-y', '--wait-idle', '2m'])
    await restarting.says(/busy with a request; waiting until it is idle/)
    expect(await servers(nas)).toEqual([before])
    await mustExec(nas, 'docker update --cpu-quota -1 coder')
    expect(await answer).toMatchObject({ status: 200, body: { usage: { completion_tokens: 900 } } })
    expect(await restarting.ended()).toMatch(/exit 0$/)
    const [after] = await servers(nas)
    expect(after).toBeDefined()
    expect(after).not.toEqual(before)
  })

  it('finds nothing to do in a plan after that', async () => {
    const plan = expectExit(await site.run(['plan', '--detailed-exitcode', '--json']), 0).plan()
    expect(hostPlan(plan, 'nas')).toMatchObject({ actions: [{ kind: 'noop', service: 'coder' }], refusals: [] })
    expect(plan.summary.changes).toBe(0)
  })

  it('recreates a container that a person removed', async () => {
    await mustExec(nas, 'docker rm -f coder')
    expect(changesOn(planOf(await applied(site)), 'nas')).toEqual(['start coder'])
    expect(await chat(nas, 9990, 'coder')).toMatchObject({ status: 200 })
  })

  it('brings back a definition that was edited by hand, and shows what it undoes', async () => {
    const original = await mustExec(nas, `cat ${definition}`)
    const [server] = await servers(nas)
    await mustExec(nas, `sed -i 's/"1024"/"4096"/' ${definition}`)
    const { stdout } = expectExit(await site.run(['plan', '--detailed-exitcode', '--no-color']), 2)
    expect(stdout).toMatch(/^\s*-.*"4096"/m)
    expect(stdout).toMatch(/^\s*\+.*"1024"/m)
    await applied(site)
    expect(await mustExec(nas, `cat ${definition}`)).toBe(original)
    // The server never read the edited file: nothing asked for its restart.
    expect(await servers(nas)).toEqual([server])
  })

  it('refuses a second Kind A on a machine this small, and the first one notices nothing', async () => {
    const [server] = await servers(nas)
    await site.write({ nas: machine({ coder: kindA({ ctx_size: 1024 }), second: kindA({ port: 9991 }) }) })
    const plan = planOf(expectExit(await site.run(['apply', '-y', '--json']), 3).report())
    expect(refusalsOn(plan, 'nas')).toEqual(['CORUN.SECOND_KIND_A second'])
    const [refusal] = hostPlan(plan, 'nas').refusals
    expect(refusal).toMatchObject({ consentable: true, why: expect.stringContaining('coder') })
    expect(refusal?.evidence.join('\n')).toContain('llama-server')
    expect(refusal?.next.length).toBeGreaterThan(0)
    expect(await servers(nas)).toEqual([server])
    expect(await chat(nas, 9990, 'coder')).toMatchObject({ status: 200 })
  })

  it('removes what the refused one left behind, with `state: absent`', async () => {
    await site.write({ nas: machine({ coder: kindA({ ctx_size: 1024 }), second: kindA({ port: 9991, state: 'absent' }) }) })
    await applied(site)
    expect(await mustExec(nas, 'find /etc/converge -name "*second*"; docker ps -aq --filter name=second')).toBe('')
  })

  it('stops it with `state: stopped`: the definition exists, a changed one too, and no server runs', async () => {
    await coder({ ctx_size: 512, state: 'stopped' })
    expect(changesOn(planOf(await applied(site)), 'nas')).toEqual(['stop coder', 'update coder'])
    expect(await servers(nas)).toEqual([])
    expect(await mustExec(nas, `docker inspect -f '{{.State.Running}}' coder && ls ${definition}`)).toBe(`false\n${definition}`)
  })

  it('removes only what it manages, with `state: absent`', async () => {
    const others = 'sha256sum /srv/models/*/* && docker images -q && docker inspect -f "{{.Id}} {{.State.StartedAt}}" foreign'
    const before = await mustExec(nas, others)
    await mustExec(nas, 'echo remember > /etc/converge/compose/coder/notes.txt')
    await coder({ ctx_size: 1024, state: 'absent' })
    expect(changesOn(planOf(await applied(site)), 'nas')).toEqual(['remove coder'])
    expect(
      await mustExec(nas, 'docker ps -a --format "{{.Names}}"; docker network ls --format "{{.Name}}" | grep coder || :'),
    ).toBe('foreign')
    expect(await mustExec(nas, 'find /etc/converge -type f ! -name audit.log')).toBe('/etc/converge/compose/coder/notes.txt')
    expect(await mustExec(nas, others)).toBe(before)
  })
})

interface Container {
  readonly Config: { readonly Image: string; readonly Cmd: readonly string[] }
  readonly HostConfig: {
    readonly RestartPolicy: { readonly Name: string }
    readonly PortBindings: Readonly<Record<string, unknown>>
  }
  readonly Mounts: readonly { readonly Source: string; readonly Destination: string; readonly RW: boolean }[]
}
