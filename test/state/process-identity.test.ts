import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { ProcessIdentity } from '../../src/model/process-identity.ts'
import { isProvedGone, thisProcess } from '../../src/state/process-identity.ts'

async function self(): Promise<ProcessIdentity> {
  const found = await thisProcess()
  if (found === undefined) throw new Error('this system does not identify processes')
  return found
}

/** A process that is there, with what would be written down of it. */
async function another(command: readonly [string, ...string[]]) {
  const [file, ...args] = command
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child, 'spawn')
  const pid = child.pid ?? 0
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  return { child, identity: { ...(await self()), pid, start: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '' } }
}

test('a running process is not gone; a killed one is', async () => {
  expect(await isProvedGone(await self())).toBe(false)
  const { child, identity } = await another(['sleep', '60'])
  expect(await isProvedGone(identity)).toBe(false)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await isProvedGone(identity)).toBe(true)
})

test('one whose pid was given to another is gone', async () => {
  expect(await isProvedGone({ ...(await self()), start: '1' })).toBe(true)
})

test('one that its parent has not heard of is gone', async () => {
  // exec: the shell's child keeps a parent that never waits for it.
  const { child, identity } = await another(['sh', '-c', 'sleep 60 & echo $!; exec sleep 60'])
  const [line] = await once(child.stdout ?? child, 'data')
  const pid = Number(String(line))
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const zombie = { ...identity, pid, start: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '' }
  expect(await isProvedGone(zombie)).toBe(false)
  // Until then, the shell may still wait for it.
  await expect.poll(() => readFile(`/proc/${child.pid}/comm`, 'utf8')).toBe('sleep\n')
  process.kill(pid, 'SIGKILL')
  await expect.poll(async () => (await readFile(`/proc/${pid}/stat`, 'utf8')).includes(') Z ')).toBe(true)
  expect(await isProvedGone(zombie)).toBe(true)
  child.kill('SIGKILL')
})

test.each(['boot', 'machine', 'namespace'] as const)('of one with another %s nothing is proved', async (name) => {
  expect(await isProvedGone({ ...(await self()), start: '1', [name]: 'another' })).toBe(false)
})

test.each([[undefined], [null], ['4242'], [{}], [{ pid: 1 }], [{ pid: -1 }], [{ pid: 'x', start: '1' }]])(
  'what is no identity proves nothing: %j',
  async (identity) => {
    expect(await isProvedGone(identity)).toBe(false)
    const { start: _, ...half } = { ...(await self()), ...(typeof identity === 'object' ? identity : {}) }
    expect(await isProvedGone(half)).toBe(false)
  },
)
