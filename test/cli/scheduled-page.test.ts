import { join } from 'node:path'
import { expect, it } from 'vitest'
import { convergeHere } from '../support/converge-here.ts'

const cwd = join(import.meta.dirname, '../..')
const env = { PATH: '/usr/bin:/bin', CONVERGE_STATE_DIR: '/nonexistent/state', NO_COLOR: '1' }

/** The command line that a schedule would run. */
async function scheduled(...words: readonly string[]): Promise<string> {
  const { stdout } = await convergeHere(
    ['schedule', 'systemd', '--every', '5m', '--json', '--', ...words, '-i', 'inventories/home'],
    { env, cwd },
  )
  const { files } = JSON.parse(stdout) as { readonly files: readonly { readonly content: string }[] }
  return /^ExecStart=(.*)$/m.exec(files.map(({ content }) => content).join('\n'))?.[1] ?? ''
}

it.each([
  ['knows when it is written again', ['status', '--format', 'html=status.html'], / --refresh 5m /],
  [
    'keeps the interval that was given',
    ['status', '--format', 'html=status.html', '--refresh', '1h'],
    /^(?!.*--refresh 5m).* --refresh 1h /,
  ],
  ['is no other report', ['status', '--format', 'markdown=status.md'], /^(?!.*--refresh)/],
] as const)('a page that is scheduled %s', async (_, words, command) => {
  expect(await scheduled(...words)).toMatch(command)
})
