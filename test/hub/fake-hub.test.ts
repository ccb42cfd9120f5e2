import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bytesSent } from '../support/fake-hub/asked.ts'
import { bytesAt, sha256Of } from '../support/fake-hub/content.ts'
import type { FileMood } from '../support/fake-hub/mood.ts'
import { type FakeHub, startFakeHub } from '../support/fake-hub.ts'
import { startHubProcess } from '../support/hub-process.ts'

const main = 'a'.repeat(40)
const seeded = { bytes: 2_000_003, seed: 'model' }
const files = {
  'README.md': 'hello',
  'm.gguf': 'a small one of large files',
  'big.gguf': seeded,
  'huge.gguf': { bytes: 40_000_000_000, sha256: '0'.repeat(64) },
}
const repos = { 'org/coder': { at: { main }, files } }

let folder: string
let hub: FakeHub
const at = (name: string) => join(folder, name)
const address = (path: string) => `${hub.url}/org/coder/resolve/main/${path}`

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fake-hub-'))
  hub = await startFakeHub(repos, { wholeBelow: 10_000_000 })
})
afterEach(async () => {
  await hub[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

/** What curl says of one request: its exit code, the status, and how much came, into `body`. */
async function curl(path: string, ...options: readonly string[]) {
  const format = '%{http_code} %{size_download} %{num_redirects} %header{content-range}'
  const result = await execa('curl', ['-sL', '-o', at('body'), '-w', format, ...options, address(path)], { reject: false })
  const [status, bytes, redirects, ...range] = result.stdout.split(' ')
  return {
    code: result.exitCode,
    status: Number(status),
    bytes: Number(bytes),
    redirects: Number(redirects),
    range: range.join(' '),
  }
}
const sha256 = (name: string) =>
  createHash('sha256')
    .update(readFileSync(at(name)))
    .digest('hex')

describe('a large file', () => {
  test('is at another origin, and the hub says what it is', async () => {
    const head = await execa('curl', ['-sI', address('m.gguf')])
    const digest = createHash('sha256').update(files['m.gguf']).digest('hex')
    expect(head.stdout).toContain('302 Found')
    expect(head.stdout).toContain(`x-repo-commit: ${main}`)
    expect(head.stdout).toContain(`x-linked-etag: "${digest}"`)
    expect(head.stdout).toContain('x-linked-size: 26')
    expect(head.stdout).toContain(`location: ${hub.cdn}/`)
    expect(await curl('m.gguf')).toMatchObject({ code: 0, status: 200, bytes: 26, redirects: 1 })
    expect(sha256('body')).toBe(digest)
  })
  test('comes in ranges, of which each is sent once', async () => {
    for (const range of ['0-999999', '1000000-1999999', '2000000-']) {
      // oxlint-disable-next-line no-await-in-loop -- one after another, as a job has it
      expect(await curl('big.gguf', '-r', range)).toMatchObject({ status: 206, range: expect.stringMatching(/\/2000003$/) })
      writeFileSync(at('all'), readFileSync(at('body')), { flag: 'a' })
    }
    expect(sha256('all')).toBe(await sha256Of(seeded))
    expect(bytesSent(hub.askedAnywhere, 'org/coder/big.gguf')).toEqual({ sent: 2_000_003, distinct: 2_000_003 })
    await curl('big.gguf', '-r', '5-14')
    expect(bytesSent(hub.askedAnywhere, 'org/coder/big.gguf')).toEqual({ sent: 2_000_013, distinct: 2_000_003 })
  })
  test.each([
    ['at its end', '2000003-', 416, 'bytes */2000003'],
    ['past its end', '2000004-2000009', 416, 'bytes */2000003'],
    ['over its end', '2000002-9999999', 206, 'bytes 2000002-2000002/2000003'],
    ['of its last bytes', '-3', 206, 'bytes 2000000-2000002/2000003'],
  ])('a range %s', async (_, range, status, stated) => {
    expect(await curl('big.gguf', '-r', range)).toMatchObject({ status, range: stated })
  })
  test('above a size comes in ranges only', async () => {
    expect(await curl('huge.gguf')).toMatchObject({ status: 400 })
    expect(await curl('huge.gguf', '-r', '39999999999-')).toMatchObject({
      status: 206,
      range: 'bytes 39999999999-39999999999/40000000000',
    })
  })
  test('its address is worth nothing without the signature', async () => {
    const { stdout } = await execa('curl', [
      '-s',
      '-o',
      at('body'),
      '-w',
      '%{http_code}',
      `${hub.cdn}/repos/aa/bb?X-Amz-Signature=c`,
    ])
    expect(stdout).toBe('403')
  })
  test('BusyBox continues where it ended', async () => {
    await curl('big.gguf', '-r', '0-1499999')
    await execa('busybox', ['wget', '-q', '-c', '-O', at('body'), address('big.gguf')])
    expect(hub.askedAnywhere.at(-1)).toMatchObject({ server: 'cdn', range: 'bytes=1500000-', status: 206, sent: 500_003 })
    expect(sha256('body')).toBe(await sha256Of(seeded))
  })
})

test('a small file is at the hub, under the id that git gives it', async () => {
  const { stdout } = await execa('curl', ['-s', '-D-', address('README.md')])
  expect(stdout).toContain('etag: "b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0"')
  expect(stdout.endsWith('hello')).toBe(true)
})

test('a missing name', async () => {
  expect(await curl('none.gguf')).toMatchObject({ status: 404 })
})

test('the token is for the hub, and curl takes it nowhere else', async () => {
  await using closed = await startFakeHub(repos, { token: 's3cret' })
  const url = `${closed.url}/org/coder/resolve/main/m.gguf`
  const { stdout } = await execa('curl', ['-s', '-D-', url])
  expect(stdout).toMatch(/^HTTP\/1.1 401 .*x-error-code: GatedRepo/s)
  await execa('curl', ['-sfL', '-H', 'authorization: Bearer s3cret', url])
  const asked = closed.askedAnywhere.map(({ server, authorization }) => [server, authorization])
  expect(asked).toEqual([
    ['hub', undefined],
    ['hub', 'Bearer s3cret'],
    ['cdn', undefined],
  ])
})

describe('what goes wrong', () => {
  const well = { code: 0, status: 206, bytes: 1000, range: 'bytes 1000-1999/2000003' }
  test.each<[string, FileMood, object]>([
    ['a lost connection', { cut: 400 }, { ...well, code: 18, bytes: 400 }],
    ['a silence', { hang: 400 }, { ...well, code: 28, bytes: 400 }],
    ['no answer', { silent: true }, { code: 28, status: 302 }],
    ['few bytes at a time', { slow: 100 }, { code: 28, status: 206 }],
    ['too many requests', { busy: { by: 'retry-after', seconds: 7 } }, { status: 429 }],
    ['a signature that expired', { status: 403 }, { status: 403 }],
    ['a failure', { status: 500 }, { status: 500 }],
    ['a page', { html: 200 }, { status: 200, bytes: 26, range: '' }],
    ['a page as if it were a range', { html: 206 }, { status: 206, bytes: 26, range: '' }],
    ['all of it', { whole: true }, { status: 200, bytes: 2_000_003, range: '' }],
    ['another file', { changed: 'etag' }, well],
    ['a longer file', { changed: 'size' }, { ...well, range: 'bytes 1000-1999/2000004' }],
    ['another range', { start: 0 }, { ...well, range: 'bytes 0-999/2000003' }],
    ['too much', { longer: 10 }, { ...well, bytes: 1010 }],
    ['no end', { endless: true, slow: 100_000 }, { code: 28, status: 206 }],
    ['a circle', { redirect: 'loop' }, { code: 47, status: 302 }],
    ['another server', { redirect: 'elsewhere' }, { ...well, redirects: 2 }],
    ['a wrong byte', { flip: 1500 }, well],
  ])('%s', async (_, mood, expected) => {
    writeFileSync(at('body'), '')
    hub.behaveFor('cdn', mood)
    // Only a silence is cut short, and after more time than the rest takes on a busy machine.
    const isSilent = mood.hang !== undefined || mood.silent === true || mood.slow !== undefined
    const limits = ['--max-time', isSilent ? '3' : '60', '--max-redirs', '5']
    const result = await curl('big.gguf', '-r', '1000-1999', ...limits)
    expect(result).toMatchObject(expected)
    const right = readFileSync(at('body')).equals(bytesAt(seeded, 1000, 1000))
    expect(right).toBe(mood.redirect === 'elsewhere')
  })
  test('goes wrong once, where that is what was wanted', async () => {
    hub.behaveFor('resolve', { busy: { by: 'ratelimit', seconds: 3 } }, {})
    expect(await curl('big.gguf')).toMatchObject({ status: 429 })
    expect(await curl('big.gguf')).toMatchObject({ status: 200, bytes: 2_000_003 })
  })
  test('the hub redirects a reader to another server', async () => {
    hub.behaveFor('resolve', { redirect: 'elsewhere' })
    await curl('m.gguf', '-H', 'authorization: Bearer s3cret')
    const asked = hub.askedAnywhere.map(({ server, authorization }) => [server, authorization])
    expect(asked).toEqual([
      ['hub', 'Bearer s3cret'],
      ['elsewhere', undefined],
    ])
  })
})

test('it runs as its own process, and takes orders how to behave', async () => {
  await using apart = await startHubProcess({ repos, moods: { cdn: [{ status: 500 }] } })
  const url = `${apart.url.replace('127.0.0.1', 'localhost')}/org/coder/resolve/main/m.gguf`
  const status = async () => (await execa('curl', ['-sL', '-o', at('body'), '-w', '%{http_code} %{url_effective}', url])).stdout
  expect(await status()).toMatch(/^500 http:\/\/localhost:/)
  await apart.behave({ cdn: [{}] })
  expect(await status()).toMatch(/^200 /)
  expect((await apart.asked()).map(({ server }) => server)).toEqual(['hub', 'cdn', 'hub', 'cdn'])
})
