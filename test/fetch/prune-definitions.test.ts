import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { busyboxFolder } from '../support/busybox-folder.ts'
import { pruneScene } from '../support/prune-scene.ts'
import { thorough } from '../support/series.ts'

const refers = (file: string) => `the definition ${file} refers to it`
const stays = 'stays where a definition has its name, leads to it, or gives a folder above it to a server'

it.each(thorough(['dash', 'BusyBox']))(`what was fetched ${stays}, in %s`, async (shell) => {
  await using tools = await busyboxFolder()
  const busybox = ['/usr/bin/env', `PATH=${tools.path}`, join(tools.path, 'sh')]
  await using scene = await pruneScene(shell === 'dash' ? [shell] : busybox)
  const own = scene.transport.folder
  const [current, start] = [join(own, 'current.gguf'), join(own, 'start')]
  const definition = join(scene.root, 'compose/coder/compose.yaml')
  const unit = 'ExecStart=/usr/bin/llama-server'
  /** By the name of a file: a line of a definition, and why that file stays. */
  const cases: Readonly<Record<string, readonly [line: string, why: string]>> = {
    'pruned-by-name.gguf': ['command: [-m, "/models/pruned-by-name.gguf"]', refers(definition)],
    'pruned-projector.gguf': ['command: [--mmproj=pruned-projector.gguf]', refers(definition)],
    'pruned-by-link.gguf': [`${unit} -m ${current} --port 1`, refers(definition)],
    '../in/folder/pruned-a.gguf': [`${unit} --models-dir ${scene.root}/../in`, refers(definition)],
    '../in-plist/pruned-b.gguf': [`<string>--models-dir</string>\n<string>${own}/in-plist</string>`, refers(definition)],
    'pruned-by-script.gguf': [`ExecStart=${start}`, refers(start)],
    'pruned-by-volume.gguf': [`volumes: [ "${own}:/models:ro" ]`, 'no service refers to it'],
    'pruned-suffix.gguf': ['-m /models/mypruned-suffix.gguf', 'no service refers to it'],
    'pruned-prefix.gguf': ['-m pruned-prefix.ggufx', 'no service refers to it'],
    'pruned-previous.gguf': ['', `the previous definition ${definition} refers to it`],
  }
  for (const name of Object.keys(cases)) {
    const model = scene.at(name)
    // oxlint-disable-next-line no-await-in-loop -- a few small files
    await scene.put(name)
    // oxlint-disable-next-line no-await-in-loop -- as above
    await scene.record({ model, fetched: [model] })
  }
  await symlink(scene.at('pruned-by-link.gguf'), current)
  await writeFile(start, `exec llama-server -m ${scene.at('pruned-by-script.gguf')}\n`)
  await mkdir(dirname(definition), { recursive: true })
  const lines = Object.values(cases).map(([line]) => `${line}\n`)
  await writeFile(definition, lines.join(''))
  await writeFile(`${definition}.converge-previous`, '-m /models/pruned-previous.gguf\n')
  const judged = await scene.judge()
  expect(Object.fromEntries(judged.map(({ path, why }) => [path, why]))).toEqual(
    Object.fromEntries(Object.entries(cases).map(([name, [, why]]) => [scene.at(name), why])),
  )
})
