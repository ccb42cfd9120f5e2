import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Result } from 'sarif'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { DriftDocument } from '../../src/model/drift.ts'
import type { RunReport } from '../../src/model/report.ts'
import { convergeHere, type Outcome } from '../support/converge-here.ts'

const root = join(import.meta.dirname, '../..')
const fixtures = join(root, 'test/fixtures/report')

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'converge-merge-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function converge(...args: readonly string[]): Promise<Outcome> {
  const env = { ...process.env, CONVERGE_STATE_DIR: join(folder, 'state'), NO_COLOR: '1' }
  return convergeHere(args, { env, cwd: folder })
}

const merge = (...args: readonly string[]) => converge('report', 'merge', ...args)

/** What `drift --limit HOST --format json=HOST.json` would have left for each. */
async function parts(): Promise<readonly string[]> {
  const whole: DriftDocument = JSON.parse(await readFile(join(fixtures, 'drift.json'), 'utf8'))
  return Promise.all(
    whole.hosts.map(async ({ host }) => {
      const file = join(folder, `${host}.json`)
      await writeFile(file, JSON.stringify({ ...whole, hosts: whole.hosts.filter((one) => one.host === host) }))
      return file
    }),
  )
}

test('parts of a fleet are reported as one, in any format', async () => {
  const files = await parts()
  const page = join(folder, 'fleet.html')
  const ended = await merge(...files, '--json', '--format', `html=${page}`, '--format', `junit=${join(folder, 'fleet.xml')}`)
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  const { hosts, summary } = JSON.parse(await readFile(join(fixtures, 'drift.json'), 'utf8'))
  expect(JSON.parse(ended.stdout)).toMatchObject({ schema: 'converge/drift/v1', hosts, summary })
  expect(await readFile(page, 'utf8')).toMatch(/mini-02[\s\S]*studio/)
  expect(await readFile(join(folder, 'fleet.xml'), 'utf8')).toMatch(/<testsuite id="5"/)
})

test('a part that was named twice, or lies in the history, is a part like others', async () => {
  const [nas = '', box = ''] = await parts()
  const document = JSON.parse(await readFile(box, 'utf8'))
  const overview = { verb: 'drift', headline: 'h', tone: 'bad', version: '1', hosts: [], issues: [] }
  const kept = { schema: 'converge/kept-run/v1', run_id: 'r', verb: 'drift', at: document.created_at, inventory: 'home' }
  await writeFile(box, JSON.stringify({ ...kept, exit_code: 2, overview, document }))
  const { code, stdout } = await merge(nas, box, nas)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^nas$[\s\S]*^box$[\s\S]*\(2 hosts\)/m)
})

/** An inventory, and its digest from a comparison without facts. */
async function inventory(): Promise<{ readonly path: string; readonly digest: string }> {
  const path = join(folder, 'fleet.yaml')
  const coder = `{ kind: A, manager: compose, image: 'llama.cpp:server', model: { path: /models/a.gguf }, port: 9990 }`
  await writeFile(
    path,
    `all:
  hosts:
    nas:
      platform: linux
      services:
        coder: ${coder}
    away: { platform: linux }
`,
  )
  const { stdout } = await converge('drift', '-i', path, '--facts', folder, '--json')
  return JSON.parse(stdout).inventory
}

test('with an inventory, findings are reported at its lines, and unobserved hosts as such', async () => {
  const [nas = ''] = await parts()
  const { path, digest } = await inventory()
  const document: DriftDocument = JSON.parse(await readFile(nas, 'utf8'))
  await writeFile(nas, JSON.stringify({ ...document, inventory: { path, digest } }))
  const { code, stdout } = await merge(nas, '-i', path, '--format', 'sarif')
  expect(code).toBe(4)
  const results: readonly Result[] = JSON.parse(stdout).runs[0].results
  const drifted = results.find(({ ruleId }) => ruleId === 'drift.both')
  expect(drifted?.locations?.[0]?.physicalLocation?.region?.startLine).toBe(6)
  expect(results.find(({ ruleId }) => ruleId === 'REPORT.NOT_LOOKED_AT')?.message.text).toContain('away')
  const verified = JSON.parse(await readFile(join(fixtures, 'report-verify.json'), 'utf8'))
  const hosts = [{ host: 'nas', reachable: true, actions: [], smoke: [] }]
  await writeFile(nas, JSON.stringify({ ...verified, hosts, inventory: { path, digest }, exit_code: 0 }))
  const proofs = await merge(nas, '-i', path, '--json')
  expect([proofs.code, JSON.parse(proofs.stdout).exit_code]).toEqual([4, 4])
  await writeFile(path, (await readFile(path, 'utf8')).replace('9990', '9991'))
  const changed = await merge(nas, '-i', path)
  expect(changed).toMatchObject({ code: 65, stdout: '', stderr: expect.stringContaining('changed since') })
  await writeFile(path, 'all: 7')
  const invalid = await merge(nas, '-i', path, '--format', `junit=${join(folder, 'fleet.xml')}`)
  expect(invalid.code).toBe(65)
  expect(await readFile(join(folder, 'fleet.xml'), 'utf8')).toContain('INPUT.VALUE')
})

test('runs that ended badly are one that ended as the worst of them', async () => {
  const whole: RunReport = JSON.parse(await readFile(join(fixtures, 'report-verify.json'), 'utf8'))
  const files = await Promise.all(
    ([5, 6] as const).map(async (exit_code, index) => {
      const file = join(folder, `${index}.json`)
      await writeFile(file, JSON.stringify({ ...whole, exit_code, hosts: whole.hosts.slice(index, index + 1) }))
      return file
    }),
  )
  const { stdout } = await merge(...files, '--json')
  expect(JSON.parse(stdout)).toMatchObject({ exit_code: 5, parts: [{ exit_code: 5 }, { exit_code: 6 }] })
})

/** With more in it than its schema knows of, as what a later version writes may have. */
function deep(document: string, levels: number): string {
  return document.replace('"hosts":[{', `"hosts":[{"extra":${'{"a":'.repeat(levels)}0${'}'.repeat(levels)},`)
}

test('what is no part says why, and nothing is written', async () => {
  const [nas = '', box = ''] = await parts()
  const odd: readonly (readonly [content: string | undefined, code: string, why: RegExp])[] = [
    ['# Markdown', 'REPORT.INVALID', /it is not JSON/],
    ['{"schema":"converge/schedule/v1"}', 'REPORT.INVALID', /it is not JSON output of plan/],
    ['{"schema":"converge/drift/v1","hosts":[{"host":7}]}', 'REPORT.INVALID', /odd\.json: /],
    [await readFile(nas, 'utf8'), 'REPORT.NO_SHARDS', /nas is in .*nas\.json and in .*odd\.json/],
    [await readFile(join(fixtures, 'plan-full.json'), 'utf8'), 'REPORT.NO_SHARDS', /odd\.json is of plan/],
    [undefined, 'REPORT.INVALID', /no such file/],
    [deep(await readFile(box, 'utf8'), 20_000), 'REPORT.INVALID', /it matches its schema but cannot be rendered/],
    [deep(await readFile(box, 'utf8'), 300), 'REPORT.INVALID', /it is nested too deeply/],
  ]
  for (const [content, code, why] of odd) {
    const file = join(folder, 'odd.json')
    await rm(file, { force: true })
    if (content !== undefined) await writeFile(file, content)
    const ended = await merge(nas, file, '--format', `html=${join(folder, 'none.html')}`)
    expect(ended).toMatchObject({ code: 65, stdout: '' })
    expect(ended.stderr.replaceAll(/\s+/g, ' ')).toMatch(why)
    expect(ended.stderr).toContain(code)
    await expect(readFile(join(folder, 'none.html'))).rejects.toThrow(/ENOENT/)
  }
  expect(await merge(folder)).toMatchObject({ code: 65 })
  expect(await merge()).toMatchObject({ code: 64, stderr: expect.stringContaining('No reports to merge') })
})
