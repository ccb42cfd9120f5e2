import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs'
import { appendFile, chmod, link, mkdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PruneOutcome, pruneFiles } from '../../src/fetch/prune-files.ts'
import type { PruneItem } from '../../src/model/prune.ts'
import { type BusyboxFolder, busyboxFolder } from '../support/busybox-folder.ts'
import { fetchScene } from '../support/fetch-scene.ts'
import { digestOf, type PruneScene, pruneScene } from '../support/prune-scene.ts'
import { thorough } from '../support/series.ts'
import { startOf } from '../support/start-of.ts'

let busybox: BusyboxFolder
beforeAll(async () => {
  busybox = await busyboxFolder()
})
afterAll(() => busybox?.[Symbol.asyncDispose]())

const shells: readonly (readonly [string, () => readonly string[]])[] = [
  ['dash', () => ['dash']],
  ['BusyBox', () => ['/usr/bin/env', `PATH=${busybox.path}`, join(busybox.path, 'sh')]],
]

// Of no other test: a process that names such a file anywhere on this machine is a reason to keep it.
const shards = ['pruned-00001-of-00002.gguf', 'pruned-00002-of-00002.gguf']

async function twoShards(shell: readonly string[] = ['dash']) {
  const scene = await pruneScene(shell)
  for (const name of shards) {
    // oxlint-disable-next-line no-await-in-loop -- two small files
    await scene.put(name)
  }
  const [model = '', second = ''] = shards.map((name) => scene.at(name))
  const job = await scene.record({ model, fetched: [model, second] })
  return { scene, model, second, job, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() }
}

function short(path: string): string {
  return digestOf(path).slice(0, 8)
}

/** `remove NAME` or `keep NAME: WHY`. */
function verdicts(items: readonly PruneItem[]): readonly string[] {
  return items.map(({ verdict, path, why }) => `${verdict} ${path.split('/').at(-1)}${verdict === 'keep' ? `: ${why}` : ''}`)
}

function whyKept(outcomes: readonly PruneOutcome[]): readonly string[] {
  return outcomes.flatMap((one) => ('why' in one ? [one.why] : []))
}

const ofMac = ['bash', () => ['bash', '--posix']] as const

it.each([...shells, ofMac])(
  'what was fetched goes with its parts and its record, and nothing else does, in %s',
  async (_name, shell) => {
    await using place = await twoShards(shell())
    const { scene, model, second, job } = place
    const [part, other] = [short(model), short(second)]
    const parts = [`${shards[0]}.${part}.part`, `${shards[0]}.${part}.piece-400`, `${shards[1]}.${other}.part.rest`]
    const hub = `${shards[1]}.${other}.part.hub`
    const foreignFiles = [
      'pruned.gguf',
      `${shards[0]}.bak`,
      `${shards[0]}.zzzzzzzz.part`,
      `${shards[0]}.${part}.piece-x`,
      'README.md',
    ]
    for (const name of [...parts, `${hub}/.cache/huggingface/x`, `${hub}/a b/model.gguf`, ...foreignFiles]) {
      // oxlint-disable-next-line no-await-in-loop -- a few small files
      await scene.put(name)
    }
    await symlink('/etc', scene.at(`${hub}/etc`))
    const items = await scene.judge()
    expect(verdicts(items).toSorted()).toEqual([...shards, ...parts, hub].map((name) => `remove ${name}`).toSorted())
    const all = [...shards, ...parts, `${hub}/.cache/huggingface/x`, `${hub}/a b/model.gguf`]
    const files = items.filter(({ path }) => !path.endsWith('.hub'))
    const bytes = all.filter((name) => !name.startsWith(hub)).reduce((sum, name) => sum + name.length, 0)
    expect(files.reduce((sum, one) => sum + one.bytes, 0)).toBe(bytes)
    expect(whyKept(await scene.remove(items))).toEqual([])
    expect(scene.files()).toEqual(foreignFiles.toSorted())
    expect(existsSync(job)).toBe(false)
    expect(existsSync('/etc/passwd')).toBe(true)
    expect(await scene.judge()).toEqual([])
  },
)

/** What may happen to a file after it was fetched, by what it then does. */
const changes: Readonly<Record<string, (scene: PruneScene, path: string) => Promise<unknown>>> = {
  'is longer': (_scene, path) => appendFile(path, 'more'),
  'was written again': async (_scene, path) => {
    await writeFile(`${path}.new`, await readFile(path))
    await rename(`${path}.new`, path)
  },
  'has another date': (_scene, path) => utimes(path, 1, 1),
  'is a link': async (scene, path) => {
    await rename(path, scene.at('moved'))
    await symlink(scene.at('moved'), path)
  },
  'is a folder': async (_scene, path) => {
    await rm(path)
    await mkdir(path)
  },
}

describe.each(thorough(shells))('what was fetched, in %s', (_name, shell) => {
  it('stays where the file changed, before it is shown or after', async () => {
    await using scene = await pruneScene(shell())
    const names = [...Object.keys(changes), 'unchanged'].map((how) => `pruned that ${how}.gguf`)
    for (const name of names) {
      // oxlint-disable-next-line no-await-in-loop -- a few small files
      await scene.put(name)
    }
    const all = names.map((name) => scene.at(name))
    const job = await scene.record({ model: all[0] ?? '', fetched: all })
    const shown = await scene.judge()
    for (const [index, change] of Object.values(changes).entries()) {
      // oxlint-disable-next-line no-await-in-loop -- as above
      await change(scene, all[index] ?? '')
    }
    const [changed, rest] = [names.slice(0, -1), all.at(-1) ?? '']
    const outcomes = (await scene.remove(shown)).map((one) => [one.item.path, 'why' in one ? one.why : 'gone'] as const)
    expect(new Map(outcomes)).toEqual(
      new Map(all.map((path) => [path, path === rest ? 'gone' : 'it has changed since it was shown'])),
    )
    expect(all.filter((path) => existsSync(path))).toEqual(all.slice(0, -1))
    expect(verdicts(await scene.judge()).toSorted()).toEqual(
      changed.toSorted().map((name) => expect.stringContaining(`keep ${name}: it changed since it was fetched`)),
    )
    // Records of missing files are dropped, those of existing ones are not.
    const recorded = readFileSync(join(job, 'fetched'), 'utf8').trim().split('\n')
    expect(recorded).toEqual(all.slice(0, -1).map((path) => expect.stringContaining(path)))
  })

  it('stays while a process has it open', async () => {
    await using place = await twoShards(shell())
    const { scene, second } = place
    const shown = await scene.judge()
    // Not by its arguments: a process that names the file is another reason.
    const file = openSync(second, 'r')
    const reader = spawn('sleep', ['300'], { stdio: [file, 'ignore', 'ignore'] })
    closeSync(file)
    try {
      expect(verdicts(await scene.judge())).toContain(`keep ${shards[1]}: in use by process ${reader.pid}`)
      expect(whyKept(await scene.remove(shown))).toEqual([`in use by process ${reader.pid}`])
      expect(scene.files()).toEqual([shards[1]])
    } finally {
      reader.kill()
    }
  })

  it('stays while another fetches it, and while its own job works', async () => {
    await using place = await twoShards(shell())
    const { scene, model, job } = place
    const shown = await scene.judge()
    const holder = `${process.pid}.${startOf(process.pid)}@${hostname()}`
    await symlink(holder, `${model}.lock`)
    expect(whyKept(await scene.remove(shown))).toEqual([`another download works on it (${holder})`])
    await rm(`${model}.lock`)
    await writeFile(join(job, 'process'), `${process.pid} ${startOf(process.pid)}\n`)
    expect(verdicts(await scene.judge())).toEqual([`keep ${shards[0]}: its download is running`])
    expect(whyKept(await scene.remove(shown))).toEqual(Array(2).fill('its download is running'))
    expect(existsSync(model)).toBe(true)
  })

  it('stays where a process names it', async () => {
    await using place = await twoShards(shell())
    const { scene } = place
    const foreign = spawn('sh', ['-c', 'sleep 30; :', 'sh', `--model=/elsewhere/${shards[0]}`])
    try {
      const why = `named by process ${foreign.pid}`
      expect(verdicts(await scene.judge())).toEqual(shards.map((name) => `keep ${name}: ${why}`))
    } finally {
      foreign.kill()
    }
  })

  it('a folder goes with its marker, and that stays while a file of it does', async () => {
    await using scene = await pruneScene(shell())
    const model = scene.at('weights-of-one')
    await scene.put('weights-of-one/config.json')
    await scene.put('weights-of-one/sub/weights.bin')
    await scene.put('weights-of-one/converge.part', '')
    const files = ['weights-of-one/config.json', 'weights-of-one/sub/weights.bin'].map((name) => scene.at(name))
    await scene.record({ model, fetched: files, wants: [...files, scene.at('weights-of-one/rest.bin')], state: 'stopped' })
    const shown = await scene.judge()
    expect(verdicts(shown).toSorted()).toEqual(['remove config.json', 'remove converge.part', 'remove weights.bin'])
    await appendFile(files[1] ?? '', 'more')
    expect(whyKept(await scene.remove(shown)).toSorted()).toEqual([
      'it has changed since it was shown',
      'the model still has files',
    ])
    expect(scene.files()).toEqual(['weights-of-one/converge.part', 'weights-of-one/sub/weights.bin'])
    expect(verdicts(await scene.judge()).toSorted()).toEqual([
      'keep converge.part: files of the model are kept',
      'keep weights.bin: it changed since it was fetched',
    ])
  })

  it('one that was killed in between is finished by the next', async () => {
    await using place = await twoShards(shell())
    const { scene, model, second, job } = place
    await scene.put(`${shards[0]}.${short(model)}.part`)
    const tools = join(scene.transport.folder, 'tools')
    await mkdir(tools)
    await writeFile(join(tools, 'rm'), `#!/bin/sh\n/bin/rm "$@"\ncase "$*" in *00001-of-00002.gguf) kill -9 "$PPID" ;; esac\n`)
    await chmod(join(tools, 'rm'), 0o755)
    const shown = await scene.judge()
    await using dying = await pruneScene(['/usr/bin/env', `PATH=${tools}:${process.env['PATH']}`, 'dash'])
    const lock = { fence: { label: 'ours', script: ':', args: [] }, watch: { tag: 'ours', script: ':', args: [] } }
    const order = { root: scene.root, id: shown[0]?.id ?? '', items: shown, lock, nonce: 'n0nce' }
    await expect(pruneFiles(dying.transport, order)).rejects.toThrow('The outcome of the removal is unknown')
    expect(existsSync(model)).toBe(false)
    expect(existsSync(second)).toBe(true)
    expect(existsSync(join(job, 'about'))).toBe(true)
    const again = await scene.judge()
    expect(verdicts(again)).toContain(`remove ${shards[1]}`)
    expect(whyKept(await scene.remove(again))).toEqual([])
    expect(scene.files()).toEqual([])
    expect(existsSync(job)).toBe(false)
  })

  it('a record of which all is gone, or nothing but its folder is left, goes', async () => {
    await using place = await twoShards(shell())
    const { scene, model, second, job } = place
    for (const path of [model, second]) rmSync(path)
    const [record, ...more] = await scene.judge()
    expect(more).toEqual([])
    expect(record).toMatchObject({ kind: 'record', verdict: 'remove', bytes: 0, path: job })
    for (const name of ['about', 'files', 'fetched']) rmSync(join(job, name))
    const left = await scene.judge()
    expect(left).toMatchObject([{ kind: 'record', verdict: 'remove', why: 'only this folder is left of it' }])
    expect(whyKept(await scene.remove(left))).toEqual([])
    expect(existsSync(job)).toBe(false)
  })
})

it('what a job fetched goes as it was fetched', async () => {
  await using scene = await fetchScene({ [shards[0] ?? '']: { bytes: 500_000, seed: 'one' }, [shards[1] ?? '']: 'two' })
  await scene.start()
  expect(await scene.end()).toBe('done')
  await using prunes = await pruneScene(['dash'], scene)
  const items = await prunes.judge()
  expect(items).toMatchObject([
    { kind: 'file', bytes: 500_000, verdict: 'remove', services: ['coder'] },
    { kind: 'file', bytes: 3, verdict: 'remove' },
  ])
  expect(whyKept(await prunes.remove(items))).toEqual([])
  expect(await scene.names()).toEqual([])
})

it('a file with a second name belongs to another owner', async () => {
  await using place = await twoShards()
  const { scene, model } = place
  const shown = await scene.judge()
  await new Promise((resolve) => setTimeout(resolve, 1100))
  await link(model, scene.at('mine.gguf'))
  expect(whyKept(await scene.remove(shown))).toEqual(['it has changed since it was shown'])
  expect(verdicts(await scene.judge())).toEqual([`keep ${shards[0]}: it changed since it was fetched`])
})

it('the record of a folder above an unmounted volume is kept', async () => {
  await using place = await twoShards()
  const { scene } = place
  // A name of its own: a process that names such a file anywhere on this machine is a reason to keep it.
  const model = '/mnt/not-mounted-here/of-no-other-test.gguf'
  const job = await scene.record({ model, fetched: [], wants: [model] })
  const items = (await scene.judge()).filter(({ model: of }) => of === model)
  expect(items).toMatchObject([{ kind: 'record', verdict: 'remove' }])
  expect(whyKept(await scene.remove(items))).toEqual(['some of its files remain, or their volume is not mounted'])
  expect(existsSync(join(job, 'about'))).toBe(true)
})
