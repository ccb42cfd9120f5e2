import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const run = promisify(execFile)

let folder = ''
const tmux = (...args: readonly string[]) =>
  run('tmux', ['-u', '-L', `converge-prose-${process.pid}`, ...args], { env: { ...process.env, LC_ALL: 'C.UTF-8' } })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'converge-prose-'))
})

afterAll(async () => {
  await tmux('kill-server').catch(() => undefined)
  await rm(folder, { recursive: true, force: true })
})

const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href)

/** Writes the same to stderr, a terminal of 40 columns, and to stdout, a file. */
async function written(): Promise<{ readonly screen: string; readonly file: string }> {
  await writeFile(
    join(folder, 'write.mjs'),
    `
    import { createContext } from ${source('context/context.ts')}
    import { loadWidths } from ${source('context/wrap-prose.ts')}
    import { Secret } from ${source('model/secret.ts')}
    await loadWidths()
    const never = new AbortController().signal
    const { out, err, redactor } = createContext(process, { signal: never, force: never }, [])
    redactor.learn(new Secret('a key with blanks in it', 'a test'))
    for (const { paint, writeProse } of [out, err]) {
      writeProse(\`  \${paint(['red'], '✗')} \${paint.hang}\${paint(['bold'], '编码器 编码器 编码器')} is refused, and its key is a key with blanks in it\\n\`)
      writeProse(\`next: \${paint.hang}Do it:  \${paint.whole('converge apply --limit nas --allow A.B@coder')}\\n\`)
      writeProse('forged \\u001b[9001m by a host, and by it alone\\n')
    }
    err.writeProse('the end\\n')
  `,
  )
  await tmux('new-session', '-d', '-x', '40', '-y', '20', '-c', folder, `${process.execPath} write.mjs >file; sleep 60`)
  const screen = async () => (await tmux('capture-pane', '-p', '-J')).stdout
  await expect.poll(screen, { interval: 200 }).toContain('the end')
  return { screen: (await screen()).replace(/\s*the end\s*$/, '\n'), file: await readFile(join(folder, 'file'), 'utf8') }
}

it('text is broken for a terminal between words, once it is what is shown, and not for a file', async () => {
  const { screen, file } = await written()
  const rows = screen.split('\n').map((row) => row.trimEnd())
  expect(rows.join('\n')).toBe(`  ✗ 编码器 编码器 编码器 is refused, and
    its key is ***
next: Do it:
      converge apply --limit nas --allow A.B@coder
forged \\u001b[9001m by a host, and by it
alone
`)
  expect(file).toBe(`  ✗ 编码器 编码器 编码器 is refused, and its key is ***
next: Do it:  converge apply --limit nas --allow A.B@coder
forged \\u001b[9001m by a host, and by it alone
`)
})
