// What Vitest's JSON reports say: `results.mjs counts FILE…` prints "PASSED FAILED", `results.mjs failed FILE…` the test files that failed.
// Where a test file is in several reports, the last one counts. A report that is missing or broken off is one failure.
import { readFileSync } from 'node:fs'

const [what, ...reports] = process.argv.slice(2)
const ofFile = new Map()
let broken = 0
for (const report of reports) {
  try {
    for (const file of JSON.parse(readFileSync(report, 'utf8')).testResults) ofFile.set(file.name, file)
  } catch {
    broken += 1
  }
}

const files = [...ofFile.values()]
const tests = files.flatMap(({ assertionResults }) => assertionResults)
const count = (status) => tests.filter((test) => test.status === status).length
/** A file that could not be loaded, or whose hosts did not start, has failed without a failed test. */
const silent = files.filter(({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'))

const failed = () => files.filter(({ status }) => status === 'failed').map(({ name }) => `${name}\n`)
const counts = () => `${count('passed')} ${count('failed') + silent.length + broken}\n`
process.stdout.write(what === 'failed' ? failed().join('') : counts())
