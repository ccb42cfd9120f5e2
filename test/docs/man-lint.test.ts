import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeManPages } from '../../docs/generate/man/pages.ts'

const folder = mkdtempSync(join(tmpdir(), 'man-'))
const files = () => readdirSync(folder).map((name) => join(folder, name))
beforeAll(() => writeManPages(pathToFileURL(`${folder}/`)))
afterAll(() => rmSync(folder, { recursive: true }))

test('mandoc has nothing to warn of', () => {
  const { status, stdout, stderr } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', ...files()], { encoding: 'utf8' })
  expect(`${stdout}${stderr}`).toBe('')
  expect(status).toBe(0)
})

// All pages as one: man starts a dozen processes for each file.
test('man has nothing to warn of', () => {
  const env = { ...process.env, LC_ALL: 'C.UTF-8', MANPAGER: 'cat', MANWIDTH: '80' }
  const input = files().map((file) => readFileSync(file, 'utf8'))
  const { status, stdout, stderr } = spawnSync('man', ['--warnings', '-l', '-'], { input: input.join(''), encoding: 'utf8', env })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  const titles = input.map((page) => /^\.TH (\S+) (\d)/m.exec(page)?.slice(1) ?? [])
  for (const [name = 'no title', section = ''] of titles) expect(stdout).toContain(`${name.replaceAll('\\-', '-')}(${section})`)
})

test('mandoc would', () => {
  const broken = '.TH X 1\n.XX\n.SH A\n\\fQ\\*[nothing]\n'
  expect(spawnSync('mandoc', ['-T', 'lint', '-W', 'warning'], { input: broken, encoding: 'utf8' }).stdout).toMatch(/WARNING/)
})
