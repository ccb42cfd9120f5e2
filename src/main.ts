#!/usr/bin/env node
import { keepCompiled } from './cli/compile-cache.ts'
import { version } from './context/version.ts'

/** How long connections get to close by themselves once the result is written. */
const lingerMs = 2000

/** The longest that a shell waits for completions, on a slow machine or disk. */
const completionMs = 4000

/** The first Node that has everything used here: an older one would end in a stack trace. */
const oldestNode = 24
if (Number(process.versions.node.split('.')[0]) < oldestNode) {
  process.stderr.write(
    `converge needs Node ${oldestNode} or newer, and this is Node ${process.versions.node} (${process.execPath}).\n`,
  )
  process.exit(64)
}

keepCompiled(process.env)

const argv = process.argv.slice(2)
const asksVersion = ['--version', '-V'].some((word) => argv.includes(word))
if (asksVersion && argv.length === 1) {
  process.stdout.write(`${version}\n`)
} else if (asksVersion && argv.length === 2 && argv.includes('--json')) {
  const { versionDocument } = await import('./context/build.ts')
  process.stdout.write(`${JSON.stringify(versionDocument(process), null, 2)}\n`)
} else if (argv[0] === 'complete') {
  setTimeout(() => process.exit(), completionMs).unref()
  const { runCompletion } = await import('./cli/completion/run-completion.ts')
  await runCompletion(argv.slice(1), process)
} else {
  const { main } = await import('./cli/main.ts')
  process.exitCode = await main(argv, (code) => process.exit(code))
  setTimeout(() => process.exit(), lingerMs).unref()
}
