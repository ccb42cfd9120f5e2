import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { convergeHere } from '../support/converge-here.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'scheduled-fetch-'))
  writeFileSync(
    join(folder, 'hosts.yaml'),
    `all:
  hosts:
    nas:
      services:
        coder: { kind: A, manager: systemd, executable: /usr/bin/llama-server, port: 9990, model: { path: /m/coder.gguf, source: { repo: org/coder, token: { env: HF_TOKEN } } } }
`,
  )
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What would be installed, for cron. */
async function scheduled(...words: readonly string[]) {
  const env = { PATH: process.env['PATH'], HOME: folder, CONVERGE_STATE_DIR: join(folder, 'state') }
  const args = ['schedule', 'cron', '--every', '1h', '--json', '--', ...words, '-i', join(folder, 'hosts.yaml')]
  const { stdout } = await convergeHere(args, { cwd: folder, env })
  const { files, notes } = JSON.parse(stdout)
  const script: string = files[0].content
  return { command: script.split('\n').find((line) => line.startsWith('set -- ')) ?? '', notes: notes.join('\n') }
}

test.concurrent.each([[], ['--detach']])('a scheduled fetch waits for no download: %j', async (...given) => {
  const { command, notes } = await scheduled('fetch', '--limit', 'nas', ...given)
  expect(command.match(/--detach/g)).toHaveLength(1)
  expect(command).toContain(`--limit nas`)
  expect(notes).toContain('The inventory reads secrets from HF_TOKEN')
})

test.concurrent('only verbs that ask hubs get their token', async () => {
  expect((await scheduled('drift')).notes).toContain('HF_TOKEN')
  expect((await scheduled('status')).notes).not.toContain('HF_TOKEN')
})
