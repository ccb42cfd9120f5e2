import { describe, expect, it } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'

const aProgram = async () => {
  const given: unknown[] = []
  const parser = await createProgram(['status', 'plan', 'apply', 'explain'], (_, options) => {
    given.push(options)
    return Promise.resolve()
  })
  return { given, parse: (words: readonly string[]) => parser.parseAsync([...words], { from: 'user' }) }
}

describe('options of a command line', () => {
  it.each([
    [['status'], {}],
    [['status', '-i', 'home'], { inventory: 'home' }],
    [['status', '-ihome'], { inventory: 'home' }],
    [['status', '-qi', 'home'], { inventory: 'home' }],
    [['status', '--inventory=home', '--ssh-config=file'], { inventory: 'home', sshConfig: 'file' }],
    [['status', '-i', 'one', '-i', 'two'], { inventory: 'two' }],
    [['plan', '--allow', 'X@y', '--reason', '-incident 7'], {}],
    [['plan', '-l', 'nas:&small', '-s', 'a', '-s', 'b*'], { limit: 'nas:&small', services: ['a', 'b*'] }],
    [['plan', 'site.yaml', '--limit=nas'], { playbook: 'site.yaml', limit: 'nas' }],
    [['apply', 'no such file'], { playbook: 'no such file' }],
    [['status', '-l', 'nas'], { limit: 'nas' }],
    [['explain', 'PORT.TAKEN'], {}],
  ])('are found in %s', async (words, expected) => {
    const { given, parse } = await aProgram()
    await parse(words)
    expect(given).toEqual([expected])
  })
})
