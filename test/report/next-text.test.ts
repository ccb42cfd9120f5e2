import { describe, expect, it } from 'vitest'
import { converge, shell } from '../../src/lib/next-command.ts'
import type { GivenOptions } from '../../src/model/given-options.ts'
import type { NextStep } from '../../src/model/next-step.ts'
import { nextText } from '../../src/report/next-text.ts'
import { plainPaint } from '../../src/report/paint.ts'

const textWith = (step: NextStep, given: GivenOptions) => nextText(step, plainPaint(given))

describe('what to do next', () => {
  it.each<[NextStep, string]>([
    ['Set ram_gb for coder.', 'Set ram_gb for coder.'],
    [converge(['plan', '--limit', 'a b']), "converge plan --limit 'a b'"],
    [converge(['plan'], { say: 'Plan again:' }), 'Plan again:  converge plan'],
    [converge(['resume'], { note: 'the rest' }), 'converge resume    # the rest'],
    [
      converge(['apply', '--allow', 'A.B@coder@nas'], { say: 'To overrule it:', fillIn: '--reason "why"' }),
      'To overrule it:  converge apply --allow A.B@coder@nas --reason "why"',
    ],
    [shell('ssh nas df -h | less', { note: 'is it full?' }), 'ssh nas df -h | less    # is it full?'],
  ])('%# is in documents what people read', (step, text) => {
    expect(textWith(step, {})).toBe(text)
    expect(JSON.stringify({ next: [step] })).toBe(JSON.stringify({ next: [text] }))
  })
})

describe('commands that people are to type next', () => {
  const given = { inventory: 'my homes/', sshConfig: '/tmp/config' }

  it.each<[NextStep, string]>([
    [converge(['plan', '--limit', 'nas']), "converge plan -i 'my homes/' --ssh-config /tmp/config --limit nas"],
    [
      converge(['fetch', '--limit', 'nas', '--service', 'coder'], { say: 'Fetch it:' }),
      "Fetch it:  converge fetch -i 'my homes/' --ssh-config /tmp/config --limit nas --service coder",
    ],
    [converge(['hosts', '--json']), "converge hosts -i 'my homes/' --json"],
    [converge(['fetch', 'log']), "converge fetch -i 'my homes/' --ssh-config /tmp/config log"],
  ])('%# get what was given', (step, text) => expect(textWith(step, given)).toBe(text))

  it.each<[NextStep]>([
    [converge(['explain', 'PORT.TAKEN'])],
    [converge(['plan', '-i', 'other'])],
    [converge(['validate', '--inventory=other'])],
    [shell('converge plan')],
    ['converge plan'],
  ])('%# stay as they are where they say which inventory, take none, or are no commands of converge', (step) => {
    expect(textWith(step, given)).toBe(String(step))
  })

  const scope = { sshConfig: '/c', limit: 'nas', services: ['coder', 'a*'], playbook: 'site.yaml' }
  const all = "site.yaml --ssh-config /c --limit nas -s coder -s 'a*'"

  it.each([
    ['apply --lock-timeout 10m', `apply ${all} --lock-timeout 10m`],
    ['plan site.yaml --out t.json', `plan ${all.replace('site.yaml ', '')} site.yaml --out t.json`],
    ['plan --limit mac', "plan site.yaml --ssh-config /c -s coder -s 'a*' --limit mac"],
    ['plan --limit=mac', "plan site.yaml --ssh-config /c -s coder -s 'a*' --limit=mac"],
    ['apply -qlmac -s b -y', 'apply site.yaml --ssh-config /c -qlmac -s b -y'],
    ['apply --ssh-config /c -l nas -s coder site.yaml --check', 'apply --ssh-config /c -l nas -s coder site.yaml --check'],
    ['facts --limit mac -s b', 'facts --ssh-config /c --limit mac -s b'],
    ['verify', "verify --ssh-config /c --limit nas -s coder -s 'a*'"],
    ['drift', "drift --ssh-config /c --limit nas -s coder -s 'a*'"],
    ['hosts', 'hosts'],
    ['resume 4f', 'resume --ssh-config /c 4f'],
    ['unlock mac', 'unlock --ssh-config /c mac'],
  ])('are about no more than this run was: %s', (words, filled) => {
    expect(textWith(converge(words.split(' ')), scope)).toBe(`converge ${filled}`)
  })

  it('take what is said beside them for no option', () => {
    expect(textWith(converge(['plan'], { say: 'Without --limit:', note: 'not --limit' }), scope)).toBe(
      `Without --limit:  converge plan ${all}    # not --limit`,
    )
  })

  const saved = { ...scope, inventory: 'home', savedPlan: 'p.json' }

  it.each([
    ['apply --lock-timeout 10m', 'apply p.json -i home --ssh-config /c --lock-timeout 10m'],
    ['apply p.json --check', 'apply -i home --ssh-config /c p.json --check'],
    ['plan --out p.json', `plan ${all.replace('--ssh', '-i home --ssh')} --out p.json`],
    ['apply --limit mac --wait-idle 10m', "apply site.yaml -i home --ssh-config /c -s coder -s 'a*' --limit mac --wait-idle 10m"],
  ])('are about no more than a saved plan was: %s', (words, filled) => {
    expect(textWith(converge(words.split(' ')), saved)).toBe(`converge ${filled}`)
  })
})
