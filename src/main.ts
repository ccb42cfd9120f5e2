#!/usr/bin/env node
import { keepCompiled } from './cli/compile-cache.ts'
import { version } from './context/version.ts'

/** How long connections get to close by themselves once the result is written. */
const lingerMs = 2000

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
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`${version}\n`)
} else {
  const { main } = await import('./cli/main.ts')
  process.exitCode = await main(argv, (code) => process.exit(code))
  setTimeout(() => process.exit(), lingerMs).unref()
}
