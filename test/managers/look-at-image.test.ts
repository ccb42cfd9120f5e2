import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { array, assert, constantFrom, property } from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { flagsInHelp } from '../../src/facts/help-flags.ts'
import { casesOf } from '../support/series.ts'
import { compileCase, type StepsCase } from './given-steps.ts'
import { readCases } from './read-cases.ts'

const flags = ['-a', '-ngl', '--alias', '--n-gpu-layers', '--no_x', '--b9']
const pieces = [
  ...flags,
  ...flags,
  'N',
  '[on|off]',
  '{a,b}',
  '<x>',
  '=X',
  '-',
  '--',
  '9',
  '(',
  '[',
  '|',
  ']',
  'usage:',
  ',',
  ', ',
]
const blanks = ['', ' ', ' ', '  ', '\t', '\n', '\n', '\n  ', '\r\n']
const helps = array(
  constantFrom(...pieces).chain((piece) => constantFrom(...blanks.map((blank) => piece + blank))),
  {
    maxLength: 40,
  },
).map((all) => all.join(''))

const given = new Map(readCases<StepsCase>('managers/compose/steps')).get('a-restart')

describe.each(['dash', 'busybox sh'])("an image's help in %s", (shell) => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'image-help-'))
    const docker = `#!/bin/sh\ncase $1 in run) echo new ;; inspect) echo false ;; logs) cat '${folder}/help' ;; esac\n`
    writeFileSync(join(folder, 'docker'), docker)
    chmodSync(join(folder, 'docker'), 0o755)
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it("lists the flags that a program's help lists", () => {
    const step = given === undefined ? undefined : compileCase('compose', given).steps.find((one) => 'unknown' in one)
    if (step?.do !== 'run') throw new Error('there is no such step')
    const [program = '', ...first] = shell.split(' ')
    assert(
      property(helps, (help) => {
        writeFileSync(join(folder, 'help'), help)
        const args = [join(folder, 'docker'), 'mark', 'coder', 'image', flags.join('\n'), '']
        const { status, stdout } = spawnSync(program, [...first, '-c', step.script, 'sh', ...args], { encoding: 'utf8' })
        // As the probe chooses the lines.
        const listed = flagsInHelp(help.split(/\r?\n/).filter((line) => /^\s*[-[]|^usage/.test(line)))
        const lacking = flags.filter((flag) => !listed.includes(flag))
        const said =
          listed.length === 0 ? 'unknown' : lacking.length === 0 ? '' : `The help of image does not list ${lacking.join(' ')}`
        expect([status, stdout.slice(0, said.length)]).toEqual([listed.length > 0 && lacking.length > 0 ? 1 : 0, said])
      }),
      { numRuns: casesOf({ short: shell === 'dash' ? 60 : 5, long: 500 }) },
    )
  })
})
