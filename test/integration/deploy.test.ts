import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Ajv from 'ajv'
import draft6 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' }
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { program } from '../support/program.ts'

const root = join(import.meta.dirname, '../..')
const require = createRequire(import.meta.url)

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'deploy-'))
  await mkdir(join(folder, 'facts'))
  const hosts = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`host-${at}`, {}]))
  await writeFile(
    join(folder, 'fleet.yaml'),
    JSON.stringify({ all: { vars: { platform: 'linux', fleet: { org: 'example' } }, hosts } }),
  )
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A converge whose shards end one attempt after the other as `ends` says: with an exit code, or killed before there is a document. */
async function convergeThat(ends: Readonly<Record<number, readonly (number | 'killed')[]>>): Promise<string> {
  const path = join(folder, 'converge')
  const cases = Object.entries(ends).flatMap(([index, codes]) =>
    codes.map((code, at) => `  ${index}:${at + 1}) ${code === 'killed' ? 'kill -9 $$' : `code=${code}`} ;;`),
  )
  await writeFile(
    path,
    `#!/bin/sh
if [ "$1" = report ]; then exec '${process.execPath}' '${program}' "$@"; fi
for word; do case $word in */4) index=\${word%/4} ;; esac; done
echo "$index" >>'${folder}/attempts'
case $index:$(grep -cx "$index" '${folder}/attempts') in
${cases.join('\n')}
esac
'${process.execPath}' '${program}' "$@"
exit "$code"
`,
    { mode: 0o755 },
  )
  return path
}

const environment = (converge: string) => ({
  ...process.env,
  CONVERGE: converge,
  CONVERGE_STATE_DIR: join(folder, 'state'),
  CONVERGE_SHARD_RUN_ID: 'monday',
  PAUSE: '0',
})
const words = ['drift', '-i', 'fleet.yaml', '--facts', 'facts']

async function ended(file: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const end = await promisify(execFile)(file, args, { cwd: folder, env }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
  )
  const attempts = (await readFile(join(folder, 'attempts'), 'utf8')).trim().split('\n').toSorted().join('')
  return { ...end, attempts }
}

const inShards = (converge: string) =>
  ended(join(root, 'deploy/parallel/converge-shards'), ['4', ...words], { ...environment(converge), JOBS: '2' })

describe('shards by GNU parallel', () => {
  test('are tried again if a host was unreachable or locked, and for nothing else', async () => {
    const { code, stdout, attempts } = await inShards(await convergeThat({ 1: [4, 0], 2: [8, 8, 8], 3: [5], 4: [2] }))
    expect(attempts).toBe('1122234')
    expect(stdout).toContain('Merged from 4 of 4 shards of run monday: 12 of 12 hosts.')
    // In the order of exit codes, as one run would end.
    expect(code).toBe(8)
  })

  test('are missing in the report if they were killed', async () => {
    const { code, stdout, attempts } = await inShards(await convergeThat({ 1: [0], 2: ['killed'], 3: [0], 4: [0] }))
    expect(attempts).toBe('1234')
    expect(stdout).toMatch(
      /Merged from 3 of 4 shards of run monday: \d+ of 12 hosts\.\nShard 2\/4 is missing: \d+ hosts? unknown\./,
    )
    expect(code).toBe(137)
  })
})

/** Slurm itself runs it in `test/lab/e2e/slurm.test.ts`. */
test('a task of a Slurm array is tried again for the same reasons', async () => {
  const converge = await convergeThat({ 1: [4, 0], 2: [5] })
  const task = (index: number) =>
    ended('sh', [join(root, 'deploy/slurm/shard.sbatch'), ...words], {
      ...environment(converge),
      DEPLOY: join(root, 'deploy'),
      FOLDER: folder,
      SHARDS: '4',
      SLURM_ARRAY_TASK_ID: String(index),
    })
  expect(await task(1)).toMatchObject({ code: 0, attempts: '11' })
  expect(await task(2)).toMatchObject({ code: 5, attempts: '112' })
})

function schemaOf(text: string) {
  const ajv = new Ajv.Ajv({ strict: false, logger: false })
  ajv.addMetaSchema(draft6)
  return ajv.compile(JSON.parse(text))
}

/** What the compiler says where a field is none that the types of Kubernetes have. */
async function mistakesIn(job: unknown): Promise<string> {
  const types = require.resolve('kubernetes-types/batch/v1.d.ts')
  const file = join(folder, 'job.ts')
  await writeFile(
    file,
    `import type { Job } from '${types.slice(0, -'.d.ts'.length)}'\nexport const job: Job = ${JSON.stringify(job)}\n`,
  )
  const asked = ['--noEmit', '--ignoreConfig', '--strict', '--types', '', '--module', 'preserve', file]
  return promisify(execFile)(join(root, 'node_modules/.bin/tsc'), asked).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
}

const read = async (path: string) => parse(await readFile(join(root, 'deploy', path), 'utf8'))

describe('the files for engines', () => {
  test.each([
    ['gitlab/converge.gitlab-ci.yml', 'gitlab-ci.json'],
    ['buildkite/pipeline.yml', 'buildkite-pipeline.json'],
    ['github/converge.yml', 'github-workflow.json'],
  ])('%s is what its engine takes', async (path, schema) => {
    const validate = schemaOf(await readFile(join(root, 'test/fixtures/foreign-schemas', schema), 'utf8'))
    validate(await read(path))
    expect(validate.errors ?? []).toEqual([])
    validate({ ...(await read(path)), drift: { parallel: 'often' }, jobs: 7, steps: 7 })
    expect(validate.errors).not.toBeNull()
  })

  test('kubernetes/drift.yaml is a Job of Kubernetes', async () => {
    const job = await read('kubernetes/drift.yaml')
    expect(await mistakesIn(job)).toBe('')
    expect(await mistakesIn({ ...job, spec: { ...job.spec, completion: 8 } })).toContain(`'"completion"' does not exist`)
  })

  test('repeat the exit codes 4 and 8 alone', async () => {
    const { spec } = await read('kubernetes/drift.yaml')
    expect(spec.podFailurePolicy.rules.at(-1)).toMatchObject({
      action: 'FailIndex',
      onExitCodes: { operator: 'NotIn', values: [4, 8] },
    })
    const gitlab = await read('gitlab/converge.gitlab-ci.yml')
    expect(gitlab.drift.retry).toEqual({ max: 2, exit_codes: [4, 8] })
    const [drift] = (await read('buildkite/pipeline.yml')).steps
    expect(drift.retry.automatic.map((one: { exit_status: number }) => one.exit_status)).toEqual([4, 8])
    expect((await read('github/converge.yml')).jobs.drift.steps[1].run).toContain('4 | 8) sleep')
  })

  test('have as many jobs as shards', async () => {
    const { spec } = await read('kubernetes/drift.yaml')
    const [{ env }] = spec.template.spec.containers
    expect(env).toContainEqual({ name: 'CONVERGE_SHARDS', value: String(spec.completions) })
    const { matrix } = (await read('github/converge.yml')).jobs.drift.strategy
    expect(matrix.shard).toEqual(Array.from({ length: 8 }, (_, at) => at + 1))
  })
})
