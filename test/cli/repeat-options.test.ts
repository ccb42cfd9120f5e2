import { describe, expect, it } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { repeatOptions } from '../../src/cli/repeat-options.ts'

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

describe('commands that people are to type next', () => {
  const given = { inventory: 'my homes/', sshConfig: '/tmp/config' }

  it.each([
    ['next: converge plan --limit nas', "next: converge plan -i 'my homes/' --ssh-config /tmp/config --limit nas"],
    [
      'next: Fetch it:  converge fetch --limit nas --service coder',
      "next: Fetch it:  converge fetch -i 'my homes/' --ssh-config /tmp/config --limit nas --service coder",
    ],
    ['      converge hosts --json', "      converge hosts -i 'my homes/' --json"],
    ['next: Plan again:  converge plan', "next: Plan again:  converge plan -i 'my homes/' --ssh-config /tmp/config"],
    [
      '\u001b[2mnext: \u001b[22mconverge status',
      "\u001b[2mnext: \u001b[22mconverge status -i 'my homes/' --ssh-config /tmp/config",
    ],
  ])('get what was given: %s', (line, expected) => {
    expect(repeatOptions(line, given)).toBe(expected)
  })

  it.each(['next: converge explain PORT.TAKEN', 'next: converge plan -i other', 'converge plan looks at hosts', 'next: ssh nas'])(
    'and nothing else does: %s',
    (line) => {
      expect(repeatOptions(line, given)).toBe(line)
    },
  )

  const scope = { sshConfig: '/c', limit: 'nas', services: ['coder', 'a*'], playbook: 'site.yaml' }
  const all = 'site.yaml --ssh-config /c --limit nas -s coder -s a\\*'

  it.each([
    ['converge apply --lock-timeout 10m', `converge apply ${all} --lock-timeout 10m`],
    ['converge plan   # looks again', `converge plan ${all}   # looks again`],
    ['converge plan site.yaml --out t.json', `converge plan ${all.replace('site.yaml ', '')} site.yaml --out t.json`],
    ['converge plan --limit mac', 'converge plan site.yaml --ssh-config /c -s coder -s a\\* --limit mac'],
    ['converge plan   # not --limit', `converge plan ${all}   # not --limit`],
    ['converge apply -qlmac -s b -y', 'converge apply site.yaml --ssh-config /c -qlmac -s b -y'],
    ['converge facts --limit mac -s b', 'converge facts --ssh-config /c --limit mac -s b'],
    ['converge verify', 'converge verify --ssh-config /c --limit nas -s coder -s a\\*'],
    ['converge drift', 'converge drift --ssh-config /c --limit nas -s coder -s a\\*'],
    ['converge hosts    lists the hosts', 'converge hosts    lists the hosts'],
    ['converge resume 4f', 'converge resume --ssh-config /c 4f'],
    ['converge unlock mac', 'converge unlock --ssh-config /c mac'],
  ])('are about no more than this run was: %s', (told, expected) => {
    expect(repeatOptions(`next: ${told}`, scope)).toBe(`next: ${expected}`)
  })

  const saved = { ...scope, inventory: 'home', savedPlan: 'p.json' }

  it.each([
    ['converge apply --lock-timeout 10m', 'converge apply p.json -i home --ssh-config /c --lock-timeout 10m'],
    ['converge apply p.json --check', 'converge apply -i home --ssh-config /c p.json --check'],
    ['converge plan --out p.json', `converge plan ${all.replace('--ssh', '-i home --ssh')} --out p.json`],
    [
      'converge apply --limit mac --wait-idle 10m',
      'converge apply site.yaml -i home --ssh-config /c -s coder -s a\\* --limit mac --wait-idle 10m',
    ],
  ])('are about no more than a saved plan was: %s', (told, expected) => {
    expect(repeatOptions(`next: ${told}`, saved)).toBe(`next: ${expected}`)
  })

  it('say nothing twice that was said already', () => {
    const told = 'next: converge apply --ssh-config /c -l nas -s coder site.yaml --check'
    expect(repeatOptions(told, scope)).toBe(told)
  })

  it('stay as they are where nothing was given', () => {
    expect(repeatOptions('next: converge plan', {})).toBe('next: converge plan')
  })
})
