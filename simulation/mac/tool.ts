import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** Every simulated tool is this program under the tool's name: `tool.ts SOCKET NAME WORDS…`. The simulated Mac answers. */
const [socketPath = '', name = '', ...words] = process.argv.slice(2)

const socket = connect(socketPath)
socket.end(JSON.stringify({ name, words }))
try {
  const answer: { readonly code: number; readonly out?: string; readonly err?: string } = JSON.parse(await text(socket))
  process.stdout.write(answer.out ?? '')
  process.stderr.write(answer.err ?? '')
  process.exitCode = answer.code
} catch {
  process.stderr.write(`${name}: the simulated Mac is gone\n`)
  process.exitCode = 70
}
