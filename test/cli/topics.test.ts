import { Help } from '@commander-js/extra-typings'
import { describe, expect, test } from 'vitest'
import { renderTopic } from '../../src/cli/render-topic.ts'
import { topics } from '../../src/cli/topics/index.ts'
import { verbs } from '../../src/cli/verbs/index.ts'

test.each(Object.entries(verbs))('each example of converge %s fits a line of 80 columns', (_, { examples }) => {
  const width = Math.max(...examples.map(([line]) => line.length))
  const lines = examples.map(([line, words]) => `  converge ${line.padEnd(width)}    ${words}`)
  expect(lines.filter((line) => line.length > 80)).toEqual([])
})

test.each(Object.entries(verbs))('the summary of converge %s fits a line of the list', (_, { summary }) => {
  expect(summary.length).toBeLessThanOrEqual(80 - 17)
})

describe.each(Object.entries(topics))('converge help %s', (name, entry) => {
  test('fits a screen of 80 columns', async () => {
    const text = renderTopic(entry, (await entry.load()).topic, new Help())
    const lines = text.split('\n')
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(lines.length).toBeLessThanOrEqual(48)
  })

  test('is no command', () => expect(Object.keys(verbs)).not.toContain(name))
})
