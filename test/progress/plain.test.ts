import { expect, it } from 'vitest'
import { createPlainDisplay } from '../../src/progress/plain.ts'
import { runStory } from './run-events.ts'

it('a run as lines: one per event that is worth it, and a server that loads for long only now and then', async () => {
  const { events, plain } = runStory()
  let text = ''
  let seconds = 0
  const display = createPlainDisplay({ stream: { write: (more) => (text += more) }, now: () => seconds * 1000 })
  for (const event of events) {
    seconds = event.at
    display.emit(event)
  }
  await display.stop()
  expect(text).toBe(plain)
})
