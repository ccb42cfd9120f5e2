import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, type ExpectStatic, test } from 'vitest'
import { becomes } from '../../simulation/node-program.ts'
import { writeProgram } from '../../simulation/tool-socket.ts'
import { type ExtendedProject, extendProject } from '../extending/extended-project.ts'
import { startRunit } from '../extending/simulation/runit.ts'
import { writeTinyModel } from '../lab/tiny-model.ts'
import { type LinuxSite, openLinuxBox } from './linux-site.ts'
import type { Ended } from './mac-site.ts'

// A third kind and a fourth manager, in a copy of the project that knows of them by their registry lines alone.

let project: ExtendedProject
beforeAll(async () => {
  project = await extendProject()
}, 300_000)
afterAll(() => project[Symbol.asyncDispose]())

const model = '/srv/models/mlx'

async function openBox(port: number): Promise<LinuxSite> {
  const site = await openLinuxBox(port, { program: project.program, here: project.here, pace: 5, beside: startRunit })
  await mkdir(site.box.path(model))
  await writeFile(site.box.path(`${model}/config.json`), '{}')
  await writeFile(site.box.path(`${model}/model.safetensors`), 'weights')
  await writeTinyModel(site.box.path('/srv/models/m.gguf'))
  await writeProgram(site.box.path('/opt/mlx/bin/python3'), `${becomes('../test/extending/simulation/mlx-server.ts')} "$0" "$@"`)
  await writeProgram(site.box.path('/opt/mlx/bin/mlx_lm.server'), `exec '${site.box.path('/opt/mlx/bin/python3')}' "$0" "$@"`)
  return site
}

/** A server of the third kind. */
const mlx = (port: number, more: object = {}) => ({
  kind: 'C',
  port,
  host: '127.0.0.1',
  model: { path: model },
  executable: '/opt/mlx/bin/mlx_lm.server',
  interpreter: '/opt/mlx/bin/python3',
  ready_timeout: 30,
  ...more,
})

/** A server under the fourth manager. */
const underRunit = (port: number, more: object = {}) => ({
  kind: 'A',
  manager: 'runit',
  port,
  host: '127.0.0.1',
  model: { path: '/srv/models/m.gguf' },
  executable: '/usr/local/bin/llama-server',
  ctx_size: 1024,
  extra_args: ['--cache-ram', '64'],
  ready_timeout: 30,
  ...more,
})

async function portIsOpen(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/health`).then(
    () => true,
    () => false,
  )
}

function actsOn(site: LinuxSite, expect: ExpectStatic) {
  return async (args: readonly string[], code = 0): Promise<Ended> => {
    const ended = await site.converge(...args)
    expect(ended.code, ended.output).toBe(code)
    return ended
  }
}

test('the compiler finds no place that has to know them as well', { timeout: 300_000 }, async ({ expect }) =>
  expect(await project.typeErrors()).toBe(''),
)

test('mistakes about them in an inventory are reported like all others', async ({ expect }) => {
  await using site = await openBox(14_600)
  const faultsOf = async (services: object) => {
    await site.inventory(services)
    // As a program; all else is asked of the same code in this process.
    const { code, output } = await site.begin('validate').ended
    expect(code, output).toBe(65)
    return output
  }
  const shape = await faultsOf({
    mlx: mlx(14_600, { prompt_cache_szie: 4 }),
    small: mlx(14_601, { prompt_cache_size: 0 }),
    strange: mlx(14_602, { kind: 'D' }),
    coder: underRunit(14_603, { manager: 'runnit' }),
  })
  expect(shape).toContain('`prompt_cache_szie` is not a key of a service. Did you mean `prompt_cache_size`?')
  expect(shape).toContain('`prompt_cache_size` is the number `0`; the minimum is 1.')
  expect(shape).toContain('`kind` is the text `D`; it must be one of `A`, `B` or `C`.')
  expect(shape).toContain('Did you mean `runit`?')
  const together = await faultsOf({
    mlx: mlx(14_600, { threads: 4, extra_args: ['--prompt-cache-size', 4] }),
    coder: underRunit(14_601, { prompt_cache_size: 4, interpreter: '/usr/bin/python3' }),
    nothing: { port: 14_602 },
  })
  expect(together).toContain('`threads` belongs to kind A, but `mlx` of `box` is kind C.')
  expect(together).toContain('duplicates the field `prompt_cache_size`.')
  expect(together).toContain('`prompt_cache_size` belongs to kind C, but `coder` of `box` is kind A.')
  expect(together).toContain('`interpreter` belongs to kind B and C, but `coder` of `box` is kind A.')
  expect(together).toContain('`C` for a server for models in the format of MLX, `mlx_lm.server`')
})

describe.concurrent('on a host', { timeout: 240_000 }, () => {
  test('a server of the third kind is installed, proved, seen to be changed, and mended', async ({ expect }) => {
    await using site = await openBox(14_610)
    const { box } = site
    const done = actsOn(site, expect)
    const unit = box.path('/etc/systemd/system/mlx.service')
    const [before, after] = [{ mlx: mlx(14_610, { prompt_cache_size: 4 }) }, { mlx: mlx(14_610, { prompt_cache_size: 8 }) }]
    await site.inventory(before)

    const { memoryBytes, usedBytes } = box.machine
    box.machine.usedBytes = memoryBytes
    expect((await done(['plan'], 3)).output).toContain('MEMORY.INSUFFICIENT')
    box.machine.usedBytes = usedBytes

    const all = /install mlx[\s\S]*start mlx[\s\S]*mlx {2}verified: .*chat[\s\S]*A second plan is empty/
    expect((await done(['apply', '-y'])).stdout).toMatch(all)
    expect(await readFile(unit, 'utf8')).toContain('--prompt-cache-size 4\n')
    expect((await done(['verify'])).stdout).toContain('1 of 1 server verified')

    const kept = join(site.folder, 'facts')
    const { facts } = JSON.parse((await done(['facts', '--json', '--out', kept])).stdout).hosts[0]
    expect(facts.residents.value).toMatchObject([{ role: 'C', program: 'mlx_lm.server', port: 14_610 }])
    await done(['plan', '--facts', kept, '--detailed-exitcode'])

    await site.inventory(after)
    const pending = (await done(['drift'])).stdout
    expect(pending).toContain('--prompt-cache-size  host: 4 (as last applied), inventory: 8')
    expect(pending).toContain('0 drifted')

    await site.inventory(before)
    const written = await readFile(unit, 'utf8')
    await writeFile(unit, written.replace('cache-size 4', 'cache-size 9'))
    expect((await done(['drift'], 2)).stdout).toContain('--prompt-cache-size  host: 9, inventory: 4 (as last applied)')

    await site.inventory(after)
    const { main } = box.systemd.service('mlx.service')
    expect((await done(['apply', '-y'])).stdout).toContain('A second plan is empty')
    expect(await readFile(unit, 'utf8')).toBe(written.replace('cache-size 4', 'cache-size 8'))
    expect(box.systemd.service('mlx.service').main?.pid).not.toBe(main?.pid)
  })

  test('a server under the fourth manager is installed, proved, seen to be changed, and mended', async ({ expect }) => {
    await using site = await openBox(14_620)
    const { box, folder } = site
    const done = actsOn(site, expect)
    const definition = box.path('/etc/sv/coder/run')
    await site.inventory({ coder: underRunit(14_620) })

    await mkdir(box.path('/etc/sv/coder'))
    await writeFile(definition, '#!/bin/sh\nexec /usr/bin/foreign\n')
    expect((await done(['apply', '-y'], 3)).output).toContain('DEFINITION.FOREIGN')
    await rm(box.path('/etc/sv/coder'), { recursive: true })

    const saved = join(folder, 'plan.json')
    expect((await done(['plan', '--out', saved])).stdout).toMatch(/\+ install coder[\s\S]*> start coder/)
    expect((await done(['apply', '-y', saved])).stdout).toMatch(/coder {2}verified: .*chat[\s\S]*A second plan is empty/)
    expect((await done(['verify'])).stdout).toContain('1 of 1 server verified')
    expect((await done(['drift'])).stdout).toContain('box : drift=0  pending=0')

    const written = await readFile(definition, 'utf8')
    await writeFile(definition, written.replace('--ctx-size 1024', '--ctx-size 2048'))
    await rm(box.path('/etc/service/coder'))
    await expect.poll(() => portIsOpen(14_620)).toBe(false)
    const { stdout: drifted } = await done(['drift'], 2)
    expect(drifted).toContain('--ctx-size  host: 2048, inventory: 1024 (as last applied)')
    expect(drifted).toContain('state')
    expect((await done(['apply', '-y'])).stdout).toContain('A second plan is empty')
    expect(await readFile(definition, 'utf8')).toBe(written)

    await site.inventory({ coder: underRunit(14_620, { ctx_size: 4096 }) })
    await done(['apply', '-y'])
    expect((await done(['facts', '--json'])).stdout).toMatch(/"--ctx-size",\s*"4096"/)
    await site.inventory({ coder: underRunit(14_620, { state: 'absent' }) })
    expect((await done(['apply', '-y'])).stdout).toContain('A second plan is empty')
    expect(existsSync(definition)).toBe(false)
  })
})
