// Reads Vitest's JSON reports: `results.mjs counts FILE…` prints "PASSED FAILED", `results.mjs failed FILE…` the failed test files and tests,
// `results.mjs times FILE…` for each folder the seconds of its files and the slowest of them, longest first.
// A missing or truncated report is one failure.
import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'

const [what, ...reports] = process.argv.slice(2)
const ofFile = new Map()
let broken = 0
for (const report of reports) {
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
    for (const file of testResults) ofFile.set(file.name, file)
  } catch {
    broken += 1
  }
}

const files = [...ofFile.values()]
const tests = files.flatMap(({ assertionResults }) => assertionResults)
const count = (status) => tests.filter((test) => test.status === status).length
/** Files that failed without a failed test: they could not be loaded, or their hosts did not start. */
const silent = files.filter(({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'))

const failed = () => files.filter(({ status }) => status === 'failed').map((file) => `${file.name}\n${failedTestsOf(file)}`)
const failedTestsOf = ({ assertionResults }) =>
  assertionResults
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages: [message = ''] }) => `  ${fullName}: ${message.split('\n', 1)[0]}\n`)
    .join('')
const counts = () => `${count('passed')} ${count('failed') + silent.length + broken}\n`

const slowest = 3
const seconds = ({ startTime, endTime }) => Math.round((endTime - startTime) / 1000)
const sum = (its) => its.reduce((total, file) => total + seconds(file), 0)
function times() {
  return Object.entries(Object.groupBy(files, ({ name }) => basename(dirname(name))))
    .toSorted(([, a], [, b]) => sum(b) - sum(a))
    .map(([folder, its]) => `${folder.padEnd(13)} ${String(sum(its)).padStart(5)} s   ${slowestOf(its)}\n`)
}

function slowestOf(its) {
  const longestFirst = its.toSorted((a, b) => seconds(b) - seconds(a)).slice(0, slowest)
  return longestFirst.map((file) => `${basename(file.name, '.test.ts')} ${seconds(file)}`).join(', ')
}

const answers = { failed: () => failed().join(''), counts, times: () => times().join('') }
process.stdout.write(answers[what]())
