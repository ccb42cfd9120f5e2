import { describe, expect, test } from 'vitest'
import { readyMarker } from '../../src/transports/remote/remote-command.ts'
import { SudoHandshake } from '../../src/transports/remote/sudo-handshake.ts'

const prompt = 'sudo-77aa:'

/** The moves for growing output: each step is what stdout and stderr hold by then. */
function moves(steps: readonly (readonly [stdout: string, stderr: string])[]): readonly string[] {
  const handshake = new SudoHandshake(prompt)
  return steps.map(([stdout, stderr]) => handshake.next(stdout, stderr))
}

describe('the way through sudo', () => {
  test.each([
    {
      name: 'no question asked',
      steps: [
        ['', ''],
        [readyMarker, ''],
      ],
      expected: ['wait', 'send-script'],
    },
    {
      name: 'a password that is right',
      steps: [
        ['', ''],
        ['', prompt],
        ['', prompt],
        [readyMarker, prompt],
      ],
      expected: ['wait', 'send-password', 'wait', 'send-script'],
    },
    {
      name: 'a lecture first, and the prompt in two pieces',
      steps: [
        ['', 'We trust you have received the usual lecture'],
        ['', `…\n${prompt.slice(0, 4)}`],
        ['', `…\n${prompt}`],
      ],
      expected: ['wait', 'wait', 'send-password'],
    },
    {
      name: 'noise of start-up files',
      steps: [
        ['welcome\n', 'mail\n'],
        [`welcome\n${readyMarker}`, 'mail\n'],
      ],
      expected: ['wait', 'send-script'],
    },
    {
      name: 'a password that is wrong',
      steps: [
        ['', prompt],
        ['', `${prompt}Sorry, try again.\n`],
      ],
      expected: ['send-password', 'wrong-password'],
    },
    {
      name: 'a second question without a word',
      steps: [
        ['', prompt],
        ['', `${prompt}\n${prompt}`],
      ],
      expected: ['send-password', 'wrong-password'],
    },
    {
      name: 'a server that prints "try again" before it asks',
      steps: [
        ['', 'try again later\n'],
        ['', `try again later\n${prompt}`],
        ['', `try again later\n${prompt}`],
      ],
      expected: ['wait', 'send-password', 'wait'],
    },
  ] satisfies readonly { name: string; steps: [string, string][]; expected: string[] }[])('$name', ({ steps, expected }) => {
    expect(moves(steps)).toEqual(expected)
  })
})
