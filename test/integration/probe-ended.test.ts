import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildProbe } from '../../src/facts/build-probe.ts'
import { readProbe } from '../../src/facts/read-probe.ts'
import { question } from '../facts/question-with.ts'
import { absolute, type ShellSetting, shellSettings } from './probe-run.ts'

let folder: string
let settings: Readonly<Record<string, ShellSetting>>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'converge-ended-'))
  settings = await shellSettings(folder)
})

afterAll(() => rm(folder, { recursive: true }))

const cases = (['dash', 'bash', 'busybox'] as const).flatMap((name) => [
  { name, how: 'ends on TERM', script: 'exec sleep 60' },
  { name, how: 'ignores TERM', script: "trap '' TERM; sleep 1; exit 1" },
])

// sshd signals the whole process group.
it.concurrent.each(cases)('$name: what was gathered before a program that hangs, and $how, arrives', async ({ name, script }) => {
  const { shell: [command = 'sh', ...first] = [], path = '' } = settings[name] ?? {}
  const tools = await mkdtemp(join(folder, 'tools-'))
  await writeFile(join(tools, 'hangs'), `#!/bin/sh\n: >${tools}/begun\n${script}\n`, { mode: 0o755 })
  const asked = question({ platform: 'linux', definitions: ['/etc/none'] })
  const probe = buildProbe(asked)
  // BusyBox prefers its own applets to what is in the PATH.
  const hanging = probe.script.replace('grep -slziF', join(tools, 'hangs'))
  const running = execa(await absolute(command), [...first, '-s', '--', ...probe.args], {
    input: hanging,
    env: { PATH: path, HOME: folder, LOGNAME: 'root', USER: 'root' },
    extendEnv: false,
    detached: true,
    reject: false,
  })
  while (!existsSync(join(tools, 'begun'))) await setTimeout(20)
  process.kill(-(running.pid ?? 0), 'SIGTERM')
  const { exitCode, stdout, stderr } = await running
  expect(exitCode).toBe(143)
  const facts = readProbe({ stdout, stderr, timedOut: true }, probe, asked)
  expect(facts.platform).toMatchObject({ known: true })
  expect(facts.memory).toMatchObject({ known: true })
  expect(facts.residents).toMatchObject({ known: false })
  expect(facts.definitions).toMatchObject({ '/etc/none': { known: false } })
})

it.concurrent.each(['dash', 'bash', 'busybox'])(
  '%s: a client that hangs ends with the probe, whose nonce it does not know',
  async (name) => {
    const { shell: [command = 'sh', ...first] = [], path = '' } = settings[name] ?? {}
    const tools = await mkdtemp(join(folder, 'client-'))
    await writeFile(join(tools, 'docker'), `#!/bin/sh\nenv >${tools}/env.$$\necho $$ >${tools}/pid.$$\nexec sleep 600\n`, {
      mode: 0o755,
    })
    const probe = buildProbe(question({ platform: 'linux' }))
    const running = execa(await absolute(command), [...first, '-s', '--', ...probe.args], {
      input: probe.script,
      env: { PATH: `${tools}:${path}`, HOME: folder, LOGNAME: 'root', USER: 'root' },
      extendEnv: false,
      detached: true,
      reject: false,
    })
    const begun = async () =>
      (await readdir(tools)).filter((file) => file.startsWith('pid.')).map((file) => file.slice('pid.'.length))
    while ((await begun()).length < 3) await setTimeout(20)
    process.kill(-(running.pid ?? 0), 'SIGTERM')
    const { stdout } = await running
    expect(stdout).toContain(`${probe.nonce} end listeners 0`)
    const [one = ''] = await begun()
    const environment = await readFile(join(tools, `env.${one}`), 'utf8')
    expect(environment).toContain('LC_ALL=C')
    expect(environment).not.toContain(probe.nonce)
    const isLeft = async () => (await begun()).some((pid) => existsSync(`/proc/${pid}`))
    while (await isLeft()) await setTimeout(20)
  },
)
