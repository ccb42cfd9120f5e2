#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { version } from './cli/version.ts'

/** How long connections get to close by themselves once the result is written. */
const lingerMs = 2000

enableCompileCache()

const argv = process.argv.slice(2)
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`${version}\n`)
} else {
  const { main } = await import('./cli/main.ts')
  process.exitCode = await main(argv, (code) => process.exit(code))
  setTimeout(() => process.exit(), lingerMs).unref()
}
