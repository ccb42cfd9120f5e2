import { expect, it } from 'vitest'
import { lookAtFetch } from '../../src/fetch/look-at-fetch.ts'
import type { HostView } from '../../src/transports/transport.ts'

const place = { root: '/etc/converge', id: 'id', kind: 'A', model: '/m/a.gguf' } as const
const sha = 'a'.repeat(64)

/** What a host prints of a job. */
function answer(said: string, isAlive: boolean): string {
  const about = JSON.stringify({ repo: 'org/coder', commit: 'c'.repeat(40) })
  const lines = ['path /m/a.gguf', 'state there', 'files 0', 'job there', 'digests 0', `said ${said}`]
  return [
    ...lines,
    `alive ${isAlive ? 'yes' : 'no'}`,
    `about ${about}`,
    'wants 1',
    `want 1 sha256 ${sha} /m/a.gguf`,
    'end',
    '',
  ].join('\n')
}

async function lookedAt(...answers: readonly string[]) {
  let count = 0
  const look = () => {
    const stdout = answers[Math.min(count, answers.length - 1)] ?? ''
    count += 1
    return Promise.resolve({ exitCode: 0, stdout, stderr: '', timedOut: false, ms: 1 })
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is used
  const fact = await lookAtFetch({ look } as unknown as HostView, place, new AbortController().signal)
  return { job: fact.known ? fact.value.job : null, count }
}

it('a job that ends during a look does not count as killed', async () => {
  const { job, count } = await lookedAt(answer('working /m/a.gguf', false), answer('done', false))
  expect(job).toMatchObject({ state: 'done' })
  expect(count).toBe(2)
})

it('a killed job is checked twice, a running or ended one once', async () => {
  expect(await lookedAt(answer('working /m/a.gguf', false))).toMatchObject({ job: { state: 'working', alive: false }, count: 2 })
  expect(await lookedAt(answer('working /m/a.gguf', true))).toMatchObject({ job: { alive: true }, count: 1 })
  expect(await lookedAt(answer('done', false))).toMatchObject({ job: { state: 'done' }, count: 1 })
})
