import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { bundled } from '../../packaging/bundle.ts'

const run = promisify(execFile)
let folder: string
/** Bundled: turning all of its sources into JavaScript takes Node longer than the rest of a start, and it is started ten times. */
let program: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'live-status-'))
  program = join(folder, 'watch-scene.mjs')
  await build({ ...bundled, entryPoints: ['test/support/watch-scene-main.ts'], outfile: program })
})
const tmux = async (...args: readonly string[]) => {
  const { stdout } = await run('tmux', ['-u', '-L', `converge-live-${process.pid}`, ...args], {
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  })
  return stdout
}
afterAll(async () => {
  await tmux('kill-server').catch(() => undefined)
  await rm(folder, { recursive: true, force: true })
})

/** A live table in a terminal: what is on it, and a way to press keys. */
async function aTable(name: string, { hosts = 1, each = 3, columns = 80, rows = 20, after = '' }) {
  const command = `echo before; ${process.execPath} ${program} ${hosts} ${each} ${after}; echo "exit $?"; stty -a | grep -oE -- '-?(icanon|echo)\\b' | tr '\\n' ' '; sleep 60`
  await tmux('new-session', '-d', '-s', name, '-x', String(columns), '-y', String(rows), command)
  const screen = () => tmux('capture-pane', '-p', '-t', name)
  const until = (text: RegExp) =>
    vi.waitFor(
      async () => {
        const shown = await screen()
        if (!text.test(shown)) throw new Error(shown)
        return shown
      },
      { timeout: 60_000, interval: 200 },
    )
  if (after === '') await until(/› coder +ready/)
  return {
    screen,
    until,
    ended: () => until(/icanon/),
    press: (...keys: readonly string[]) => tmux('send-keys', '-t', name, ...keys),
  }
}

describe('the live table in a real terminal', { concurrent: true }, () => {
  it('is drawn within 80 columns, and follows keys and size', async () => {
    const table = await aTable('keys', { hosts: 30, each: 10 })
    await table.press('End')
    await table.until(/^› model-9 +ready[^]*model-9@host30[^]*300 of 300/m)
    await tmux('resize-window', '-t', 'keys', '-x', '60', '-y', '12')
    await table.until(/^host30[^]*^› model-9 +ready/m)
    expect((await table.screen()).split('\n').filter((line) => line.length > 60)).toEqual([])
    await table.press('q')
    expect(await table.ended()).toMatch(/before\nexit 0\nicanon echo/)
  })

  it('returns after the log of the selected service, which Ctrl-C ends', async () => {
    const table = await aTable('logs', {})
    await table.press('Down', 'l')
    await table.until(/^before\n\$ converge logs writer@host1 --follow\na line of the log$/m)
    await table.press('C-c')
    await table.until(/^› writer +ready/m)
    await table.press('q')
    expect(await table.ended()).toMatch(/a line of the log\n\^C\n?exit 0\nicanon echo/)
  })

  it('returns after a command that asks, once its end was read', async () => {
    const table = await aTable('restart', {})
    await table.press('r')
    await table.until(/\$ converge restart coder@host1\nRestart it\?/)
    await table.press('yes', 'Enter')
    await table.until(/Restart it\? yes\nThe answer was yes\.\nPress any key to return to the table\./)
    // It is no key of the table.
    await table.press('q')
    await table.until(/^› coder +ready/m)
    await table.press('q')
    expect(await table.ended()).toMatch(/return to the table\.\nexit 0\nicanon echo/)
  })

  it.each([
    ['l', /a line of the log/, /a line of the log\n\nInterrupted: stopping; no host was changed\.\nexit 130\nicanon echo/],
    ['r', /Restart it\?/, /The step is finished\.\n\nInterrupted: stopping; no host was changed\.\nexit 130\nicanon echo/],
  ])('ends together with the command of the key %s, which finishes its step', async (key, begun, ended) => {
    const table = await aTable(`together-${key}`, {})
    await table.press(key)
    await table.until(begun)
    const { stdout } = await run('pgrep', ['-P', (await tmux('list-panes', '-t', `together-${key}`, '-F', '#{pane_pid}')).trim()])
    process.kill(Number(stdout), 'SIGTERM')
    expect(await table.ended()).toMatch(ended)
  })

  it('gives the terminal back at Ctrl-C', async () => {
    const table = await aTable('interrupt', {})
    await table.press('C-c')
    expect(await table.ended()).toMatch(/before\n\nInterrupted: stopping; no host was changed\.\nexit 130\nicanon echo/)
  })

  it.each([
    ['SIGTERM', /before\n\nInterrupted: stopping; no host was changed\.\nexit 130\nicanon echo/],
    ['throw', /before\nError: a bug\nexit 130\nicanon echo/],
  ])('gives the terminal back at a %s', async (after, text) => {
    const table = await aTable(after, { after })
    expect(await table.ended()).toMatch(text)
  })
})
