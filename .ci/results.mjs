// Reads Vitest's JSON reports: `results.mjs counts FILE…` prints "PASSED FAILED", `results.mjs failed FILE…` the failed test files and tests,
// `results.mjs times FILE…` the duration of each job (from JOB.seconds beside JOB.json), longest first, and its slowest files.
// A missing or truncated report is one failure.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

const [what, ...reports] = process.argv.slice(2)
const ofFile = new Map()
const ofJob = new Map()
let broken = 0
for (const report of reports) {
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
    for (const file of testResults) ofFile.set(file.name, file)
    ofJob.set(report, testResults)
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
function times() {
  const rows = [...ofJob].map(([report, its]) => {
    const names = its
      .toSorted((a, b) => seconds(b) - seconds(a))
      .slice(0, slowest)
      .map((file) => `${basename(file.name, '.test.ts')} ${seconds(file)}`)
    return { job: basename(report, '.json'), wall: wallOf(report), names }
  })
  return rows
    .toSorted((a, b) => b.wall - a.wall)
    .map(({ job, wall, names }) => `${job.padEnd(13)} ${String(wall).padStart(4)} s   ${names.join(', ')}\n`)
}

function wallOf(report) {
  try {
    return Number(readFileSync(report.replace(/json$/, 'seconds'), 'utf8'))
  } catch {
    return 0
  }
}

const answers = { failed: () => failed().join(''), counts, times: () => times().join('') }
process.stdout.write(answers[what]())
