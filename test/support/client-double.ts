import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * A client application as people use one: it reads a list of endpoints (`converge endpoints --format json`), asks each server for its models,
 * and shows `(offline)` behind those that it does not reach. `--once` prints the list once; otherwise it prints it whenever it changes.
 */
interface Listed {
  readonly model: string
  readonly base_url: string
  readonly key?: { readonly variable: string; readonly value?: string }
}

async function isOnline({ model, base_url: address, key }: Listed): Promise<boolean> {
  const bearer = key?.value ?? process.env[key?.variable ?? '']
  const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
  try {
    const answer = await fetch(`${address}/models`, { headers, signal: AbortSignal.timeout(20_000) })
    const { data } = (await answer.json()) as { readonly data: readonly { readonly id: string }[] }
    return answer.ok && data.some(({ id }) => id === model)
  } catch {
    return false
  }
}

async function shown(file: string): Promise<string> {
  const { endpoints } = JSON.parse(readFileSync(file, 'utf8')) as { readonly endpoints: readonly Listed[] }
  const lines = endpoints.map(async (one) => `  ${one.model}${(await isOnline(one)) ? '' : ' (offline)'}\n`)
  return `models:\n${(await Promise.all(lines)).join('')}`
}

const [file = '', ...options] = process.argv.slice(2)
let last = ''
for (;;) {
  // oxlint-disable-next-line no-await-in-loop -- it asks again and again
  const now = await shown(file)
  if (now !== last) process.stdout.write(now)
  last = now
  if (options.includes('--once')) break
  // oxlint-disable-next-line no-await-in-loop -- it asks again and again
  await sleep(100)
}
