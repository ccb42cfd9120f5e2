import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { DriftDocument, HostDrift } from '../../../src/model/drift.ts'
import { openGitHubJob } from '../../support/github-action.ts'
import { mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import { expectExit, kindA, kindB, machine, openSite, type Site } from './site.ts'

const composeFile = '/etc/converge/compose/coder/compose.yaml'
const unit = '/etc/systemd/system/flagship.service'

/** Changes by hand on a NAS and on a box; each test continues from the one before it. */
describe.skipIf(noLab)('drift on real hosts', () => {
  let lab: Lab
  let site: Site

  const write = (coder: object = {}) =>
    site.write({ nas: machine({ coder: kindA({ ...coder }) }), box: machine({ flagship: kindB() }) })

  /** By host, without what the hosts were asked beside it. */
  async function drift(code: number, ...args: readonly string[]): Promise<Readonly<Record<string, HostDrift>>> {
    const { stdout } = expectExit(await site.run(['drift', '--json', ...args]), code)
    const document: DriftDocument = JSON.parse(stdout)
    expect(document.schema).toBe('converge/drift/v1')
    return Object.fromEntries(document.hosts.map((host) => [host.host, host]))
  }

  async function ofBox(...args: readonly string[]): Promise<string> {
    return expectExit(await site.run(['drift', '--limit', 'box', ...args]), 2).stdout
  }

  beforeAll(async () => {
    lab = await startLab([
      { name: 'nas', kind: 'nas' },
      { name: 'box', kind: 'box' },
    ])
    site = await openSite(lab.sshConfigFile)
    await write()
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

  it('is pending before the first apply, and nothing after it', async () => {
    const { nas, box } = await drift(0)
    expect(new Set([...(nas?.findings ?? []), ...(box?.findings ?? [])].map((one) => one.class))).toEqual(new Set(['pending']))
    expectExit(await site.run(['apply', '-y']), 0)
    const nothing = { compared: true, findings: [], not_compared: [], two_way: [] }
    expect(await drift(0)).toMatchObject({ nas: nothing, box: nothing })
  })

  it('names the field of a compose file and of a unit that were edited by hand', async () => {
    await mustExec(lab.host('nas'), `cp -p ${composeFile} /tmp/as-applied && sed -i 's/2048/1536/' ${composeFile}`)
    await mustExec(lab.host('box'), `sed -i 's/^Environment=CTX=16384$/Environment=CTX=8192/' ${unit} && systemctl daemon-reload`)
    const { nas, box } = await drift(2)
    expect(nas?.findings).toMatchObject([
      {
        service: 'coder',
        field: 'definition.command.--ctx-size',
        class: 'drift',
        desired: '2048',
        recorded: '2048',
        actual: '1536',
      },
    ])
    expect(box?.findings).toMatchObject([
      {
        service: 'flagship',
        field: 'definition.environment.CTX',
        class: 'drift',
        desired: '16384',
        recorded: '16384',
        actual: '8192',
      },
    ])
  })

  it('distinguishes a container that was recreated with another flag from its file', async () => {
    await mustExec(
      lab.host('nas'),
      `mkdir -p /tmp/mine/coder && cp ${composeFile} /tmp/mine/coder/ && cp -p /tmp/as-applied ${composeFile} &&
       docker compose -f /tmp/mine/coder/compose.yaml up -d 2>&1`,
    )
    const { nas } = await drift(2, '--limit', 'nas')
    expect(nas?.findings).toMatchObject([
      { field: 'running.command.--ctx-size', class: 'drift', desired: '2048', recorded: '2048', actual: '1536' },
    ])
  })

  it('reports what is pending in the inventory, and what was changed on both sides, with all three values', async () => {
    await write({ ctx_size: 1024, threads: 1 })
    const { nas } = await drift(2, '--limit', 'nas')
    expect(nas?.findings).toMatchObject([
      { field: 'definition.command.--ctx-size', class: 'pending', desired: '1024', recorded: '2048', actual: '2048' },
      { field: 'definition.command.--threads', class: 'pending', desired: '1', recorded: '2', actual: '2' },
      { field: 'running.command.--ctx-size', class: 'both', desired: '1024', recorded: '2048', actual: '1536' },
    ])
  })

  it('finds a server that is in no inventory', async () => {
    await mustExec(
      lab.host('nas'),
      `docker run -d --name foreign -v /srv/models/tiny:/models:ro ghcr.io/ggml-org/llama.cpp:server \
         --model /models/tiny.gguf --port 9995 --cache-ram 64`,
    )
    const { nas } = await drift(2, '--limit', 'nas')
    expect(nas?.findings.filter((one) => one.class === 'foreign')).toMatchObject([
      {
        service: '(host)',
        field: 'resident.llama-server',
        desired: null,
        recorded: null,
        actual: expect.stringContaining('port 9995'),
      },
    ])
    await mustExec(lab.host('nas'), 'docker rm -f foreign')
  })

  it('is quiet with --changed until something else is found, and proposes what could be set aside', async () => {
    expect(await ofBox('--changed')).toContain('host: 8192, inventory: 16384 (as last applied)')
    expect(await ofBox('--changed')).toBe('')
    expect(parse(await ofBox('--write-ignore'))).toMatchObject({
      drift_ignore: [{ host: 'box', service: 'flagship', field: 'definition.environment.CTX' }],
    })
    await mustExec(lab.host('box'), `sed -i 's/^Environment=CTX=8192$/Environment=CTX=4096/' ${unit} && systemctl daemon-reload`)
    expect(await ofBox('--changed')).toContain('host: 4096, inventory: 16384 (as last applied)')
  })

  it('reports a missing record, and then does not know who made the change', async () => {
    await mustExec(lab.host('box'), 'rm /etc/converge/applied/flagship.json')
    const { box } = await drift(2, '--limit', 'box')
    expect(box?.two_way).toMatchObject([{ service: 'flagship', why: 'the host has no record of an apply of flagship' }])
    expect(box?.findings).toMatchObject([{ field: 'definition.environment.CTX', class: 'drift', recorded: null, actual: '4096' }])
  })

  it('is reported by the GitHub action in all its files, and in one comment', async () => {
    await using job = await openGitHubJob()
    const reports = join(site.directory, 'reports')
    const look = (verb: string) =>
      job.run(
        { inventory: site.inventory, verb, limit: 'box', reports, arguments: `--ssh-config\n${lab.sshConfigFile}\n` },
        site.environment(),
      )
    const { code, summary, outputs } = await look('drift')
    expect(code).toBe(0)
    expect(outputs).toEqual({ 'exit-code': '2', reports })
    expect((await readdir(reports)).toSorted()).toEqual(['drift.html', 'drift.json', 'drift.sarif', 'junit.xml', 'summary.md'])
    expect(summary).toContain('definition.environment.CTX')
    expect(job.comments).toMatchObject([{ body: expect.stringContaining(summary) }])
    expect((await look('plan')).outputs).toMatchObject({ 'exit-code': '2' })
    expect(await readdir(reports)).toContain('plan.sarif')
    expect(job.comments).toHaveLength(2)
  })

  it('is empty after an apply', async () => {
    expectExit(await site.run(['apply', '-y']), 0)
    const nothing = { findings: [], not_compared: [], two_way: [] }
    expect(await drift(0)).toMatchObject({ nas: nothing, box: nothing })
  })
})
