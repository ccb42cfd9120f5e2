import { existsSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { knobsOf } from './knobs.ts'
import { hasWeights } from './model-folder.ts'

/**
 * The engine below the front: `engine.ts NAME CAP`, with the model in `SNAP`. It reads requests from its stdin, one after another, and
 * answers on stdout; it exits when stdin closes.
 */
interface Request {
  readonly number: number
  readonly prompt: string
  readonly tokens: number
}

const knobs = knobsOf(process.env['SIMULATED_PROGRAM'] ?? '')
if (knobs.ignoreTerm === true) process.on('SIGTERM', () => undefined)
const model = process.env['SNAP'] ?? ''
if (!hasWeights(model)) {
  process.stderr.write(`no weights in ${model}\n`)
  process.exit(1)
}
await sleep(knobs.loadMs ?? 0)
// oxlint-disable-next-line no-await-in-loop -- one look after another
while (knobs.loadUntil !== undefined && !existsSync(knobs.loadUntil)) await sleep(20)
if (knobs.loadExit !== undefined) process.exit(knobs.loadExit)
process.stderr.write(`[RAM_GB=${process.env['RAM_GB'] ?? 'auto'}] cap=8 ok (projected peak 3.7 GB)\n`)
process.stdout.on('error', () => process.exit(0))
process.stdout.write('READY\n')
// The front ends it by a signal.
flushCompileCache()
let first = true
for await (const line of createInterface({ input: process.stdin })) {
  const { number, prompt, tokens }: Request = JSON.parse(line)
  const read = 8 + Math.floor(Buffer.byteLength(prompt) / 4)
  process.stderr.write(`[API] KV slot 0 prefix 0/${read} token, prefill ${read}\n`)
  await sleep(first ? (knobs.firstMs ?? 0) : (knobs.answerMs ?? 0))
  first = false
  process.stdout.write(`${JSON.stringify({ number, read, made: Math.min(tokens, 16) })}\n`)
}
process.exit(0)
