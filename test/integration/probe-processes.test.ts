import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeGguf } from '../../simulation/gguf-writer.ts'
import type { ProbeFacts } from '../../src/facts/read-probe.ts'
import { known } from '../../src/model/observed.ts'
import { question } from '../facts/question-with.ts'
import { absolute, runProbe, type ShellSetting, shellSettings } from './probe-run.ts'

const id = 'c'.repeat(64)
const image = 'ghcr.io/here'

/** Starts nothing itself: what is counted is the probe's. */
const docker = `#!/bin/sh
case "$1 $2" in
'version --format') echo 28.5.1 ;;
'compose version') echo 2.40.0 ;;
'image inspect') echo sha256:${'a'.repeat(64)} ;;
'ps -aq') echo ${id} ;;
'inspect --type')
  printf '%s\\n' 'id ${id}' 'name "/coder"' 'image "${image}"' 'made sha256:${'a'.repeat(64)}' \\
    'state running 0 false 812 0 2026-11-21T10:00:00Z' 'health healthy' 'restart "always"' entrypoint command
  ;;
esac
`

let folder: string
let tools: string
let settings: Readonly<Record<string, ShellSetting>>

/** One service of Docker Compose, as it was applied. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'converge-processes-'))
  await Promise.all(['cv/coder', 'cv/applied', 'applets', 'client'].map((one) => mkdir(join(folder, one), { recursive: true })))
  tools = join(folder, 'client')
  await writeFile(join(tools, 'docker'), docker)
  await chmod(join(tools, 'docker'), 0o755)
  await writeFile(join(folder, 'cv/coder/compose.yaml'), '# converge: managed com.example.coder\nservices: {}\n')
  await writeFile(join(folder, 'cv/coder/key'), 'secret\n')
  await writeFile(
    join(folder, 'cv/audit.log'),
    '{"event":"run-begun","run_id":"r-1","at":""}\n{"event":"run-ended","run_id":"r-1","at":""}\n',
  )
  await writeFile(join(folder, 'coder.gguf'), writeGguf({ 'general.architecture': { string: 'llama' } }, []))
  settings = await shellSettings(join(folder, 'applets'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

/** What it finds, and how many processes the probe's shell starts for that. */
async function count(name: string): Promise<{ readonly facts: ProbeFacts; readonly processes: number }> {
  const { shell: [command = 'sh', ...first] = [], path } = settings[name] ?? {}
  if (path === undefined) throw new Error(`no shell ${name}`)
  const trace = join(folder, `trace-${name}`)
  const shell = await absolute(command)
  // Alone in its own list of processes, so that no server of this machine is looked at; and its shell is the one that it starts.
  const alone = ['unshare', '--pid', '--mount', '--fork', '--mount-proc', '/bin/sh', '-c', asSh, await absolute('mount'), shell]
  const traced = [await absolute('strace'), '-f', '-qq', '-o', trace, '-e', 'trace=clone,?clone3,?fork,?vfork', shell, ...first]
  const asked = question({
    platform: 'linux',
    convergeDir: join(folder, 'cv'),
    definitions: ['@root/coder/compose.yaml'],
    keyFiles: ['@root/coder/key'],
    models: [join(folder, 'coder.gguf')],
    images: [image],
    disks: ['@root/', join(folder, 'coder.gguf')],
  })
  const { facts } = await runProbe({ shell: [...alone, ...traced], path: `${tools}:${path}` }, asked, folder)
  const calls = (await readFile(trace, 'utf8')).split('\n').filter((line) => /\b(clone3?|v?fork)\(/.test(line))
  return { facts, processes: calls.filter((line) => !line.includes('CLONE_THREAD')).length }
}

const asSh = '"$0" --bind "$1" /bin/sh && shift && exec "$@"'

/** Where systemd runs, it is asked for its version and its units are searched. */
const ofSystemd = existsSync('/run/systemd/system') ? 2 : 0

// Each process costs a small host milliseconds, and a fleet's tests run thousands of probes.
it.each([
  ['dash', 29],
  ['bash', 30],
  ['busybox', 30],
] as const)('the probe in %s starts at most %i processes', async (name, most) => {
  const { facts, processes } = await count(name)
  expect(facts.definitions).toMatchObject({ '@root/coder/compose.yaml': { known: true, value: { mark: 'com.example.coder' } } })
  expect(facts.models[join(folder, 'coder.gguf')]).toMatchObject({ known: true, value: { header: { known: true } } })
  expect(facts.journal).toEqual(known(null))
  expect(facts.containers).toMatchObject(known({ containers: [{ id }], images: { [image]: true } }))
  expect(processes).toBeGreaterThan(0)
  expect(processes).toBeLessThanOrEqual(most + ofSystemd)
})
