import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import type { PruneDocument } from '../../src/report/prune-text.ts'
import { convergeHere } from '../support/converge-here.ts'
import { startFakeHub } from '../support/fake-hub.ts'

const commit = 'c1'.repeat(20)

/** This machine as a host, without containers; what is in a temporary folder is all that is touched. */
async function site() {
  const folder = mkdtempSync(join(tmpdir(), 'prune-'))
  const at = (name: string) => join(folder, name)
  // A file stays while any process of this machine names it: its name is in no other test.
  const fileOf = (service: string) => `${service}-${basename(folder)}.gguf`
  const files = { [fileOf('coder')]: { bytes: 300_000, seed: 'coder' }, [fileOf('writer')]: { bytes: 200_000, seed: 'writer' } }
  const hub = await startFakeHub({ 'org/models': { at: { main: commit }, files } }, {})
  mkdirSync(at('inventory'))
  mkdirSync(at('bin'))
  writeFileSync(at('bin/docker'), '#!/bin/sh\ncase "$*" in *version*) echo 27.0.0 ;; esac\n')
  chmodSync(at('bin/docker'), 0o755)
  const want = (...services: readonly string[]) =>
    writeFileSync(
      at('inventory/hosts.yaml'),
      `all:
  vars: { converge_dir: ${at('etc')} }
  hosts:
    here:
      ansible_connection: local
      services: {${services
        .map(
          (name, index) =>
            ` ${name}: { kind: A, port: ${9990 + index}, model: { path: ${at(`models/${fileOf(name)}`)}, source: { repo: org/models, files: [${fileOf(name)}], hub: "${hub.url}" } } }`,
        )
        .join(',')} }
`,
    )
  const run = async (...args: readonly string[]) => {
    const env = { PATH: `${at('bin')}:${process.env['PATH']}`, HOME: folder, NO_COLOR: '1', CONVERGE_STATE_DIR: at('state') }
    const { code, stdout, stderr } = await convergeHere([...args, '-i', at('inventory')], { env, cwd: folder })
    return { code, output: `${stdout}\n${stderr}`.replaceAll(`${folder}/`, ''), stdout }
  }
  return {
    run,
    want,
    at,
    fileOf,
    modelOf: (service: string) => at(`models/${fileOf(service)}`),
    items: async (...args: readonly string[]) => {
      const { stdout, output } = await run('prune', '--json', ...args)
      if (!stdout.includes('converge/prune/v1')) throw new Error(output)
      const document: PruneDocument = JSON.parse(stdout)
      return document.hosts.flatMap((host) => host.items)
    },
    [Symbol.asyncDispose]: async () => {
      await hub[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

test.concurrent('removes files that no service needs, and no others', async () => {
  await using one = await site()
  one.want('coder', 'writer')
  expect((await one.run('fetch', '--follow')).code).toBe(0)
  const kept = await one.run('prune', '--check')
  expect(kept.output).toMatch(/= .*coder-\S+\.gguf {2}293 KiB {2}\(for coder\): coder refers to it in the inventory\n/)
  expect(kept.output).toContain('Nothing to remove.')
  expect(kept.code).toBe(0)

  one.want('coder')
  const unasked = await one.run('prune')
  expect(unasked.output).toContain('There is no terminal to ask for confirmation.')
  expect(unasked.output).toContain('converge prune -i inventory --check')
  expect(unasked.code).toBe(64)
  const check = await one.run('prune', '--check')
  expect(check.output).toMatch(/ {2}- .*writer-\S+\.gguf {2}195 KiB {2}\(for writer\): no service refers to it\n/)
  expect(check.output).toContain('One item to remove, 195 KiB to free.')
  expect(check.code).toBe(2)
  expect(await one.items('--check', '--service', 'coder')).toMatchObject([{ state: 'kept', services: ['coder'] }])
  expect(existsSync(one.modelOf('writer'))).toBe(true)

  // A foreign definition keeps everything that it refers to.
  mkdirSync(one.at('etc/compose/foreign'), { recursive: true })
  writeFileSync(one.at('etc/compose/foreign/compose.yaml'), `command: -m ${one.modelOf('writer')}\n`)
  expect(await one.items('-y', '--service', 'writer')).toMatchObject([
    { state: 'kept', why: `the definition ${one.at('etc/compose/foreign/compose.yaml')} refers to it` },
  ])
  rmSync(one.at('etc/compose/foreign'), { recursive: true })

  const done = await one.run('prune', '-y')
  expect(done.output).toContain('One item removed, 195 KiB freed.')
  expect(done.code).toBe(0)
  expect(readdirSync(one.at('models'))).toEqual([one.fileOf('coder')])
  expect(readFileSync(one.modelOf('coder')).length).toBe(300_000)
  expect(readdirSync(one.at('etc/fetch'))).toHaveLength(1)
  expect(existsSync(one.at('etc/lock'))).toBe(false)
  expect(await one.items('--check')).toMatchObject([{ state: 'kept', services: ['coder'] }])
  expect((await one.run('fetch', 'status', '--json')).stdout).toContain('"complete"')
})

test.concurrent('what another inventory fetched stays, and so does all where something is not known', async () => {
  await using one = await site()
  one.want('writer')
  expect((await one.run('fetch', '--follow')).code).toBe(0)
  one.want('coder')
  const [id = ''] = readdirSync(one.at('etc/fetch'))
  const about = one.at(`etc/fetch/${id}/about`)
  const text = readFileSync(about, 'utf8')
  writeFileSync(about, text.replace('"inventory":"', '"inventory":"/elsewhere'))
  expect(await one.items('-y')).toMatchObject([
    { state: 'kept', why: expect.stringContaining(' for writer, and may still need it there') },
  ])
  writeFileSync(about, text)
  writeFileSync(one.at('bin/docker'), '#!/bin/sh\necho "permission denied" >&2\nexit 1\n')
  const { code, output } = await one.run('prune', '-y')
  expect(output).toMatch(/writer-\S+\.gguf .*: unknown: its containers: /)
  expect(code).toBe(4)
  expect(existsSync(one.modelOf('writer'))).toBe(true)
})
