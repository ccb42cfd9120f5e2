import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DOMParser } from '@xmldom/xmldom'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { describe, expect, test } from 'vitest'

// What a report looks like is in `test/fixtures/report/`, and `test/report/formats.test.ts` holds the code to it. Here those files meet
// the programs that people read them with.

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'test/fixtures/report')
/** See its README. */
const foreign = join(root, 'test/fixtures/foreign-schemas')
const run = promisify(execFile)

function files(ending: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(ending))
  if (names.length < 8) throw new Error(`only ${names.length} reports end in ${ending}`)
  return names.map((name) => join(folder, name))
}

describe('JUnit', () => {
  test('is as the schema of Jenkins says', async () => {
    const schema = join(foreign, 'jenkins-junit.xsd')
    await expect(run('xmllint', ['--noout', '--schema', schema, ...files('.junit.xml')])).resolves.toBeDefined()
  })

  test('is counted by a program that reads it as it counts itself', async () => {
    const counting = `
import json, sys
from junitparser import Error, Failure, JUnitXml, Skipped
def counts(path):
    cases = [case for suite in JUnitXml.fromfile(path) for case in suite]
    kind = lambda one: sum(any(isinstance(result, one) for result in case.result) for case in cases)
    return {"tests": len(cases), "failures": kind(Failure), "errors": kind(Error), "skipped": kind(Skipped)}
print(json.dumps([counts(path) for path in sys.argv[1:]]))`
    const all = files('.junit.xml')
    // The one that Debian's packages are for.
    const { stdout } = await run('/usr/bin/python3', ['-c', counting, ...all])
    expect(JSON.parse(stdout)).toEqual(all.map(ownCounts))
    expect(stdout).toMatch(/"skipped": [1-9]/)
  })
})

function ownCounts(file: string) {
  const document = new DOMParser().parseFromString(readFileSync(file, 'utf8'), 'text/xml')
  const sum = (name: string) =>
    [...document.getElementsByTagName('testsuite')].reduce((all, suite) => all + Number(suite.getAttribute(name)), 0)
  return { tests: sum('tests'), failures: sum('failures'), errors: sum('errors'), skipped: sum('skipped') }
}

describe('SARIF', () => {
  const schema = JSON.parse(readFileSync(join(foreign, 'sarif-2.1.0.json'), 'utf8'))
  // One of its patterns is none where expressions are read as Unicode.
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false })
  addFormats.default(ajv)
  const validate = ajv.compile(schema)

  test('is judged by the schema of OASIS', () => {
    expect(schema.title).toBe('Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema')
    expect(validate({ version: '2.1.0', runs: [{ results: [] }] })).toBe(false)
  })

  test.each(files('.sarif').map((file) => [file.slice(folder.length + 1), file]))('%s is as it says', (_, file) => {
    validate(JSON.parse(readFileSync(file, 'utf8')))
    expect(validate.errors ?? []).toEqual([])
  })
})

describe('the textfile', () => {
  test.each(files('.prom').map((file) => [file.slice(folder.length + 1), file]))(
    '%s is read by Prometheus, which finds no fault with its names',
    async (_, file) => {
      const checked = run('promtool', ['check', 'metrics'])
      checked.child.stdin?.end(readFileSync(file))
      await expect(checked).resolves.toEqual({ stdout: '', stderr: '' })
    },
  )
})

describe('Markdown', () => {
  const rendered = files('.md').map((file) => {
    const text = readFileSync(file, 'utf8')
    const options = { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true }
    return { name: file.slice(folder.length + 1), text, page: micromark(text, options) }
  })

  test.each(rendered)('$name is shown as what it is: tables, folds and words', ({ text, page }) => {
    const tags = [...page.matchAll(/<([a-z]\w*)/g)].map(([, tag]) => tag)
    const known = 'h2 h4 p ul li table thead tbody tr th td strong em code pre details summary'.split(' ')
    expect([...new Set(tags)].filter((tag) => !known.includes(tag ?? ''))).toEqual([])
    // A table that is none shows its bars.
    expect(tags.filter((tag) => tag === 'table')).toHaveLength([...text.matchAll(/^\| - \|/gm)].length)
    expect(page.match(/<details/g)?.length).toBe(page.match(/<\/details/g)?.length)
  })
})
