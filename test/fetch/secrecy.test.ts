import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { fetchScene, hasty, token } from '../support/fetch-scene.ts'

/** However it is quoted, it begins so. */
const trace = token.slice(0, token.indexOf('"'))

it('shows the token in no list of processes, no environment, no file and no answer', async () => {
  await using scene = await fetchScene({ 'coder.gguf': { bytes: 1_300_000, seed: 'coder' } })
  const said: string[] = []
  const plain = { ...scene.transport }
  Object.assign(scene.transport, {
    exec: async (...words: Parameters<typeof plain.exec>) => {
      const result = await plain.exec(...words)
      said.push(result.stdout, result.stderr)
      return result
    },
  })
  scene.hub.behaveFor('cdn', { slow: 400_000 }, { cut: 1000 }, { slow: 400_000 })
  scene.hub.behaveFor('resolve', {}, { status: 500 }, {})
  const over = new AbortController()
  const shown = new Set<string>()
  const sampled = { commands: new Set<string>(), files: 0 }
  const watch = (async () => {
    while (!over.signal.aborted) {
      for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
        for (const kind of ['cmdline', 'environ']) {
          const text = readIfThere(`/proc/${pid}/${kind}`)
          if (kind === 'cmdline') sampled.commands.add(text.split('\0')[0] ?? '')
          if (text.includes(trace)) shown.add(`${kind}: ${text.replaceAll('\0', ' ')}`)
        }
      for (const file of filesBelow(scene.transport.folder)) {
        sampled.files += 1
        if (readIfThere(file).includes(trace)) shown.add(file)
      }
      // oxlint-disable-next-line no-await-in-loop -- it is looked at again and again
      await sleep(20)
    }
  })()
  const begun = scene.start({ ...hasty, tries: 9 })
  expect(await begun).toBe('begun')
  const ended = await scene.end()
  await sleep(100)
  over.abort()
  await watch
  expect(ended).toBe('done')
  expect([...shown]).toEqual([])
  expect([...sampled.commands]).toContain('curl')
  expect(sampled.files).toBeGreaterThan(100)
  expect(said.join('\n')).toContain('begun')
  expect(`${said.join('\n')}\n${await scene.log()}\n${scene.transport.seen.flat().join('\n')}`).not.toContain(trace)
  // It did reach the hub.
  expect(scene.hub.asked.every(({ authorization }) => authorization === `Bearer ${token}`)).toBe(true)
})

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

function filesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name))
  } catch {
    return []
  }
}
