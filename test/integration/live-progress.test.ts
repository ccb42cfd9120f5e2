import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runStory } from '../progress/run-events.ts'

const run = promisify(execFile)

let folder = ''
const tmux = (...args: readonly string[]) =>
  run('tmux', ['-u', '-L', `converge-test-${process.pid}`, ...args], { env: { ...process.env, LC_ALL: 'C.UTF-8' } })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'converge-progress-'))
})

afterAll(async () => {
  await tmux('kill-server').catch(() => undefined)
  await rm(folder, { recursive: true, force: true })
})

/** Replays events in a terminal of the given size, stdout going to a file, and reads the screen when it is done. */
async function replay(name: string, events: readonly unknown[], rows: number, extra = ''): Promise<string> {
  const display = new URL('../../src/progress/create-display.ts', import.meta.url).href
  const script = `
    import { readFileSync } from 'node:fs'
    import { setTimeout as delay } from 'node:timers/promises'
    import { createDisplay } from ${JSON.stringify(display)}
    const display = createDisplay('listr', { stream: process.stderr, env: process.env })
    for (const event of JSON.parse(readFileSync(${JSON.stringify(join(folder, `${name}.json`))}, 'utf8'))) {
      display.emit(event)
      await delay(10)
      ${extra}
    }
    await display.stop()
    process.stderr.write('the end\\n')
  `
  await writeFile(join(folder, `${name}.json`), JSON.stringify(events))
  await writeFile(join(folder, `${name}.mjs`), script)
  const command = `${process.execPath} ${name}.mjs >${name}.out; sleep 60`
  await tmux('new-session', '-d', '-s', name, '-x', '100', '-y', String(rows), '-c', folder, command)
  const screen = async () => (await tmux('capture-pane', '-p', '-t', name, '-S', '-')).stdout
  await expect.poll(screen, { interval: 200 }).toContain('the end')
  return (await screen()).replace(/\s*the end\s*$/, '\n')
}

describe('live progress in a real terminal', () => {
  it('ends as it should be read', async () => {
    const { events, terminal } = runStory()
    expect(await replay('story', events, 40)).toBe(terminal)
  })

  it('counts many hosts in one line', async () => {
    const hosts = Array.from({ length: 200 }, (_, index) => `host${index}`)
    const events = [
      { type: 'phase', phase: 'gather', hosts },
      ...hosts.map((host, index) => ({ type: 'host-finished', host, ok: index % 50 !== 7, note: 'seen' })),
    ]
    expect(await replay('many', events, 40)).toBe(
      'Gathering facts from 200 hosts\n✖ 196 of 200 done, 4 failed: host7, host57, host107, host157\n  failed: host7, host57, host107, host157\n',
    )
  })

  it('counts in a low terminal what would have rows in a high one', async () => {
    const hosts = Array.from({ length: 12 }, (_, index) => `host${index}`)
    const events = [
      { type: 'phase', phase: 'gather', hosts },
      ...hosts.map((host) => ({ type: 'host-finished', host, ok: true, note: 'seen' })),
    ]
    expect(await replay('low', events, 12)).toBe('Gathering facts from 12 hosts\n✔ 12 of 12 done\n')
  })

  it('shows what others say meanwhile above the rows, and draws nothing over it', async () => {
    const events = [
      { type: 'phase', phase: 'gather', hosts: ['nas', 'box'] },
      ...Array.from({ length: 30 }, (_, index) => ({ type: 'host-note', host: 'nas', note: `note ${index}` })),
      { type: 'host-finished', host: 'nas', ok: true, note: 'seen' },
      { type: 'host-finished', host: 'box', ok: true, note: 'seen' },
    ]
    const screen = await replay(
      'notice',
      events,
      40,
      `if (event.note === 'note 20') process.stderr.write('\\nInterrupted: wait.\\n')`,
    )
    expect(screen.split('\n').filter((line) => line !== '')).toEqual([
      'Gathering facts from 2 hosts',
      'Interrupted: wait.',
      '✔ nas  seen',
      '✔ box  seen',
    ])
  })
})
