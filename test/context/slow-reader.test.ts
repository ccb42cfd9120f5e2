import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { createContext } from '../../src/context/context.ts'

const text = 'x'.repeat(100_000)
const hosts = Array.from({ length: 50 }, (_, index) => ({ host: `h${index}`, text }))

function outputTo(write: (chunk: Buffer, done: (error?: Error) => void) => void) {
  const stdout = new Writable({ write: (chunk: Buffer, _encoding, done) => write(chunk, done) })
  stdout.on('error', () => undefined)
  const never = new AbortController().signal
  const surroundings = { env: {}, cwd: () => '/', stdin: process.stdin, stderr: process.stderr, stdout: stdout as never }
  return { stdout, out: createContext(surroundings, { signal: never, force: never }, []).out }
}

it('JSON of a large fleet waits for its reader, and does not fill the memory meanwhile', async () => {
  let read = ''
  let most = 0
  const { stdout, out } = outputTo((chunk, done) => {
    most = Math.max(most, stdout.writableLength)
    read += chunk.toString()
    setImmediate(done)
  })
  await out.writeJson({ hosts })
  expect(JSON.parse(read)).toEqual({ hosts })
  expect(most).toBeLessThan(3 * text.length)
})

it('and stops when its reader has gone', async () => {
  let writes = 0
  const { out } = outputTo((_chunk, done) => {
    writes++
    setImmediate(done, Object.assign(new Error('closed'), { code: 'EPIPE' }))
  })
  await out.writeJson({ hosts })
  expect(writes).toBe(1)
})
