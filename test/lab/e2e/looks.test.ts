import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { DriftDocument, HostDrift } from '../../../src/model/drift.ts'
import { openGitHubJob } from '../../support/github-action.ts'
import { mustExec } from '../host.ts'
import { type Lab, startLab } from '../hosts.ts'
import { noLab } from '../lab-hosts.ts'
import type { Outcome } from './converge.ts'
import { changedSince, filesOf, keyThatOnlyLooks, scripts } from './looking.ts'
import { expectExit, expectWords, kindA, kindB, machine, openSite, type Site } from './site.ts'

const composeFile = '/etc/converge/compose/coder/compose.yaml'
const unit = '/etc/systemd/system/flagship.service'

/** What the inventory is changed to, and what runs in the end. */
const changed = { ctx_size: 1024, threads: 1 }

const looks = ['plan', 'facts', 'status', 'drift', 'verify', 'logs'] as const

/** What root might try behind a key that only looks; none of it may end well. */
const slips = [
  'echo x >/etc/converge/x',
  'echo x >/tmp/x',
  'echo 1 >/proc/sys/vm/drop_caches',
  'rm -rf /etc/converge',
  'mount -o remount,rw /',
  'unshare --mount true',
  'nsenter --target 1 --mount true',
  'kill "$(cat /run/sshd.pid)"',
  'mknod /dev/disk b 8 0',
  'ctr --connect-timeout 1s version',
]

/** Verbs that only look, at a NAS and a box; each test continues from the one before it. */
describe.skipIf(noLab)('looks', () => {
  let lab: Lab
  let site: Site

  beforeAll(async () => {
    lab = await startLab([
      { name: 'nas', kind: 'nas' },
      { name: 'box', kind: 'box' },
    ])
    site = await openSite(lab.sshConfigFile)
    await write(site)
  })

  afterAll(async () => {
    await site?.dispose()
    await lab?.stop()
  })

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

  describe('for drift', () => {
    it('is pending before the first apply, and nothing after it', async () => {
      const { nas, box } = await drift(0)
      expect(new Set([...(nas?.findings ?? []), ...(box?.findings ?? [])].map((one) => one.class))).toEqual(new Set(['pending']))
      expectExit(await site.run(['apply', '-y']), 0)
      const nothing = { compared: true, findings: [], not_compared: [], two_way: [] }
      expect(await drift(0)).toMatchObject({ nas: nothing, box: nothing })
    })

    it('names the field of a compose file and of a unit that were edited by hand', async () => {
      await mustExec(lab.host('nas'), `cp -p ${composeFile} /tmp/as-applied && sed -i 's/2048/1536/' ${composeFile}`)
      await mustExec(
        lab.host('box'),
        `sed -i 's/^Environment=CTX=16384$/Environment=CTX=8192/' ${unit} && systemctl daemon-reload`,
      )
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
      await write(site, changed)
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
      await mustExec(
        lab.host('box'),
        `sed -i 's/^Environment=CTX=8192$/Environment=CTX=4096/' ${unit} && systemctl daemon-reload`,
      )
      expect(await ofBox('--changed')).toContain('host: 4096, inventory: 16384 (as last applied)')
    })

    it('reports a missing record, and then does not know who made the change', async () => {
      await mustExec(lab.host('box'), 'rm /etc/converge/applied/flagship.json')
      const { box } = await drift(2, '--limit', 'box')
      expect(box?.two_way).toMatchObject([{ service: 'flagship', why: 'the host has no record of an apply of flagship' }])
      expect(box?.findings).toMatchObject([
        { field: 'definition.environment.CTX', class: 'drift', recorded: null, actual: '4096' },
      ])
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

  describe('with and without a read-only key', () => {
    let looking: Site
    /** The files at the beginning, which no test changes. */
    let before: ReadonlySet<string>
    let seen: ReadonlyMap<string, string>

    beforeAll(async () => {
      looking = await openSite(await keyThatOnlyLooks(lab))
      await write(looking, changed)
      before = await filesOf(lab)
    })

    afterAll(() => looking?.dispose())

    it('leave every file as it was', async () => {
      seen = await lookAround(site)
      expect(await changedSince(lab, before)).toEqual([])
      expect(seen.get('facts')).toMatch(/\/docker \d+\.\S+: coder running/)
    })

    it('report the same with a read-only key', async () => {
      const behindKey = await lookAround(looking)
      expect(await changedSince(lab, before)).toEqual([])
      expect(behindKey.get('plan')).toBe(seen.get('plan'))
      expect(behindKey.get('status')).toBe(seen.get('status'))
      expect(behindKey.get('drift')).toBe(seen.get('drift'))
      expect(behindKey.get('logs')).toMatch(/^coder@nas {4}\| .*listening/m)
      expect(behindKey.get('logs')).toMatch(/^flagship@box \| ./m)
      expect(behindKey.get('verify')?.match(/· owns its port$/gm)).toHaveLength(2)
    })

    it('apply says with such a key that it cannot write, and changes nothing', async () => {
      await write(looking, { ctx_size: 2048 }, { ctx: 8192 })
      const applied = await looking.run(['apply', '-y', '--allow', 'WARM.RESTART@*', '--reason', 'a test'])
      await write(looking, changed)
      expectWords(applied.transcript, ['exit code 5', 'APPLY.LOCK_UNUSABLE', /read-only for this account/, 'Done: 0 applied'])
      expect(await changedSince(lab, before)).toEqual([])
    })

    it('such a key opens no shell, and root behind it reaches no file, process, mount or device', async () => {
      expect(await ssh(looking, 'nas')).toMatchObject({ exitCode: 126, stderr: expect.stringMatching('there is no shell') })
      const tries = slips.map((slip) => `if ( ${slip} ) >/dev/null 2>&1; then echo '${slip}'; fi`).join('\n')
      expect(await ssh(looking, 'nas', `${tries}\nid -u`)).toMatchObject({ exitCode: 0, stdout: '0' })
    })

    it('can be kept from Docker’s socket as well, and still sees the containers', async () => {
      const nas = lab.host('nas')
      await nas.copyIn(join(scripts, 'converge-look-docker'), '/usr/local/sbin')
      await mustExec(nas, 'systemd-run --quiet --unit converge-look-docker /usr/local/sbin/converge-look-docker')
      await mustExec(nas, 'until [ -S /run/converge-look/docker.sock ]; do sleep 0.1; done')
      const refused = { stderr: expect.stringMatching('this socket only looks') }
      for (const words of ['stop coder', 'exec coder true', 'cp coder:/etc/passwd -', 'run --rm --privileged coder'])
        expect(await ssh(looking, 'nas', `docker ${words}`)).toMatchObject(refused)
      expectExit(await looking.run(['verify', '--limit', 'nas']), 0)
      expect((await looking.run(['logs', 'coder'])).stdout).toContain('listening')
      expect((await looking.run(['plan'])).stdout).toBe(seen.get('plan'))
    })
  })
})

function write(site: Site, coder: object = {}, flagship: object = {}): Promise<void> {
  return site.write({ nas: machine({ coder: kindA({ ...coder }) }), box: machine({ flagship: kindB({ ...flagship }) }) })
}

/** The output of each verb. */
async function lookAround(site: Site): Promise<ReadonlyMap<string, string>> {
  const outputs = new Map<string, string>()
  for (const verb of looks) outputs.set(verb, expectExit(await site.run([verb]), 0).stdout)
  return outputs
}

async function ssh(site: Site, host: string, command?: string): Promise<Pick<Outcome, 'exitCode' | 'stdout' | 'stderr'>> {
  const [, , , , config = ''] = site.arguments(['plan'])
  const words = ['-F', config, host, ...(command === undefined ? [] : [command])]
  const { exitCode, stdout, stderr } = await execa('ssh', words, { reject: false, stdin: 'ignore' })
  return { exitCode: exitCode ?? -1, stdout, stderr }
}
