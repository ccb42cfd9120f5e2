import { expect, it } from 'vitest'
import { createPlainDisplay } from '../../src/progress/plain.ts'
import { runStory } from './run-events.ts'

it.each(['run', 'fetch'])(
  'a %s as lines: one per event that is worth it, and what takes long only now and then',
  async (name) => {
    const { events, plain } = runStory(name)
    let text = ''
    let seconds = 0
    const display = createPlainDisplay({ stream: { write: (more) => (text += more) }, now: () => seconds * 1000 })
    for (const event of events) {
      seconds = event.at
      display.emit(event)
    }
    await display.stop()
    expect(text).toBe(plain)
  },
)
