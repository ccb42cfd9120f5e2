import { spawn } from 'node:child_process'
import { appendFile, mkdir, symlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import type { PruneOutcome } from '../../src/fetch/prune-files.ts'
import type { PruneItem } from '../../src/model/prune.ts'
import { busyboxFolder } from '../support/busybox-folder.ts'
import { pruneScene } from '../support/prune-scene.ts'
import { startOf } from '../support/start-of.ts'

// What is removed and what stays is tested under dash with the tools of Debian; here, that it is the same where BusyBox has to do for everything.

function verdicts(items: readonly PruneItem[]): readonly string[] {
  return items.map(({ verdict, path, why }) => `${verdict} ${basename(path)}${verdict === 'keep' ? `: ${why}` : ''}`)
}

function whyKept(outcomes: readonly PruneOutcome[]): readonly string[] {
  return outcomes.flatMap((one) => ('why' in one ? [one.why] : []))
}

it('what is changed, open, fetched, referred to or named stays, and the rest goes', async () => {
  await using busybox = await busyboxFolder()
  await using scene = await pruneScene(['/usr/bin/env', `PATH=${busybox.path}`, join(busybox.path, 'sh')])
  const [gone, changed, open, fetched, linked, named] = ['gone', 'changed', 'open', 'fetched', 'linked', 'named'].map((name) =>
    scene.at(`${name} model.gguf`),
  ) as [string, string, string, string, string, string]
  const all = [gone, changed, open, fetched, linked, named]
  await Promise.all(all.map((path) => scene.put(basename(path))))
  for (const path of all) await scene.record({ model: path, fetched: [path] })
  await symlink(linked, join(scene.transport.folder, 'current.gguf'))
  await mkdir(join(scene.root, 'compose/coder'), { recursive: true })
  const definition = join(scene.root, 'compose/coder/compose.yaml')
  await writeFile(definition, `ExecStart=/usr/bin/llama-server -m ${scene.transport.folder}/current.gguf --port 1\n`)
  const shown = await scene.judge()
  expect(verdicts(shown).filter((one) => one.startsWith('keep'))).toEqual([
    `keep ${basename(linked)}: the definition ${definition} refers to it`,
  ])
  const reader = spawn('sh', ['-c', 'exec 3<"$1"; echo; exec sleep 30', 'sh', open])
  const foreign = spawn('sh', ['-c', 'sleep 30; :', 'sh', `--model=/elsewhere/${basename(named)}`])
  try {
    await new Promise((resolve) => reader.stdout.once('data', resolve))
    await appendFile(changed, 'more')
    const holder = `${process.pid}.${startOf(process.pid)}@${hostname()}`
    await symlink(holder, `${fetched}.lock`)
    expect(verdicts(await scene.judge())).toContain(`keep ${basename(named)}: named by process ${foreign.pid}`)
    expect(whyKept(await scene.remove(shown.filter(({ path }) => path !== named))).toSorted()).toEqual([
      `another download works on it (${holder})`,
      `in use by process ${reader.pid}`,
      'it has changed since it was shown',
    ])
    expect(scene.files()).toEqual(
      [`${basename(fetched)}.lock`, ...[changed, open, fetched, linked, named].map((path) => basename(path))].toSorted(),
    )
  } finally {
    reader.kill()
    foreign.kill()
  }
})
