/**
 * `converge status --watch` over a scene, as a process with a terminal. Arguments: hosts, services on each, and a signal or `throw` after a
 * second; or a command that the table starts, as a double that needs the terminal.
 */
import { createInterface } from 'node:readline/promises'
import { createContext } from '../../src/context/context.ts'
import { exitCodes } from '../../src/context/exit-code.ts'
import { watchInterrupts } from '../../src/context/interrupts.ts'
import { watchUncaught } from '../../src/context/uncaught.ts'
import { loadWidths } from '../../src/context/wrap-prose.ts'
import { watchStatus } from '../../src/run/watch/watch-status.ts'
import { openWatchScene } from './watch-scene.ts'

if (process.argv[2] === 'logs') {
  process.once('SIGINT', () => process.exit(exitCodes.interrupted))
  process.stdout.write('a line of the log\n')
  await new Promise((resolve) => setTimeout(resolve, 60_000))
}
if (process.argv[2] === 'restart') {
  // Once is enough, and by nothing stronger. It takes longer than a kill would wait for.
  process.once('SIGHUP', () =>
    setTimeout(() => {
      process.stdout.write('\nThe step is finished.\n')
      process.exit(exitCodes.interrupted)
    }, 6000),
  )
  const answer = await createInterface({ input: process.stdin, output: process.stdout }).question('Restart it? ')
  process.stdout.write(`The answer was ${answer}.\n`)
  process.exit(answer === 'yes' ? exitCodes.done : exitCodes.refused)
}
const [hosts = 1, each = 1] = process.argv.slice(2, 4).map(Number)
const after = process.argv[4]
const names = ['coder', 'writer', '書記']
await loadWidths()
const interrupts = watchInterrupts(process, (code) => process.exit(code), 'status')
const context = createContext(process, interrupts, ['status'])
watchUncaught(process, {
  say: (error) => context.err.write(`${String(error)}\n`),
  giveUp: () => interrupts.giveUp(),
  endNow: () => process.exit(1),
})
const services = Array.from({ length: each }, (_, index) => ({ name: names[index] ?? `model-${index}`, port: 9990 + index }))
const scene = await openWatchScene(
  Array.from({ length: hosts }, () => services),
  context,
)
if (after !== undefined)
  setTimeout(() => {
    if (after === 'throw') throw new Error('a bug')
    process.kill(process.pid, after)
  }, 1500)
const exit = await watchStatus(scene.run, 1000)
process.exit(interrupts.signal.aborted ? exitCodes.interrupted : exit)
