import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { captureReaders, type Facts } from './capture-readers.ts'

/** Outputs of real machines, kept outside the project because they are other people's. Without them this says so and is skipped. */
const folder = join(import.meta.dirname, '../../../shared/captures')
const here = existsSync(join(folder, 'index.tsv'))

interface Capture {
  readonly file: string
  readonly command: string
  readonly facts: Facts
}

function readIndex(): readonly Capture[] {
  const rows = readFileSync(join(folder, 'index.tsv'), 'utf8').trimEnd().split('\n').slice(1)
  return rows.map((row) => {
    const [file = '', command = '', , , facts = '{}'] = row.split('\t')
    const parsed: Facts = JSON.parse(facts)
    return { file, command, facts: parsed }
  })
}

const readable = (here ? readIndex() : []).flatMap((capture) => {
  const reader = captureReaders.find(({ commands }) => commands.test(capture.command))
  return reader === undefined ? [] : [{ ...capture, reader }]
})

describe.skipIf(!here)(
  `captures of real machines (${here ? `${readable.length} of them` : `no ${folder}, so none is read`})`,
  () => {
    it.each(readable)('$file: $command', ({ file, facts, reader }) => {
      const text = readFileSync(join(folder, file), 'utf8')
      const { actual, right } = reader.compare(text, facts)
      expect(actual).toEqual(right)
      expect(Object.keys(right)).not.toHaveLength(0)
    })

    it.each(captureReaders)('some capture is read for $commands', ({ commands }) => {
      expect(readable.some(({ command }) => commands.test(command))).toBe(true)
    })
  },
)
