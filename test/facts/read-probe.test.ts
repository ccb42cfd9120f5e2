import { describe, expect, it } from 'vitest'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import { buildProbe } from '../../src/facts/build-probe.ts'
import { type ProbeOutput, readProbe } from '../../src/facts/read-probe.ts'
import { known, unknown } from '../../src/model/observed.ts'
import { question } from './question-with.ts'

const asked = question({ definitions: ['/etc/a'] })
const probe = buildProbe(asked)

function frame(name: string, text: string, status = 0): string {
  return `\n${probe.nonce} begin ${name}\n${text}\n${probe.nonce} end ${name} ${status}\n`
}

const done = `\n${probe.nonce} whole\n\n${probe.nonce} done\n`
const linux = frame('platform', 'system Linux nas 6.1.0 x86_64')

function output(stdout: string, more: Partial<ProbeOutput> = {}): ProbeOutput {
  return { stdout, stderr: '', timedOut: false, ...more }
}

function problemOf(result: ProbeOutput): unknown {
  try {
    return readProbe(result, probe, asked)
  } catch (error) {
    return error instanceof ConvergeError ? error.toProblem() : error
  }
}

describe('a probe that was answered', () => {
  it('leaves a missing section unknown, and one of another platform with that reason', () => {
    const facts = readProbe(output(linux + done), probe, asked)
    expect(facts.platform).toMatchObject(known({ os: 'linux', hostname: 'nas' }))
    expect(facts.memory).toEqual(unknown('not-gathered'))
    expect(facts.launchd).toEqual(unknown('wrong-platform', 'not on linux'))
    expect(facts.definitions).toEqual({ '/etc/a': unknown('not-gathered') })
  })

  it('says so when the host is not what the inventory says', () => {
    const facts = readProbe(output(linux + done), probe, { ...asked, platform: 'macos' })
    expect(facts.memory).toEqual(unknown('wrong-platform', 'the inventory says macos, the host runs linux'))
    expect(facts.definitions).toEqual({ '/etc/a': unknown('wrong-platform', 'the inventory says macos, the host runs linux') })
  })

  it('says so when the host is neither', () => {
    const facts = readProbe(output(frame('platform', 'system SunOS sun 5.11 i86pc') + done), probe, asked)
    expect(facts.platform).toEqual(unknown('wrong-platform', 'it runs SunOS'))
    expect(facts.residents).toEqual(unknown('wrong-platform', 'neither Linux nor macOS'))
  })

  it('keeps its output from before the timeout', () => {
    const facts = readProbe(
      output(`${linux}${frame('lock', 'state absent')}\n${probe.nonce} begin models\npath`, { timedOut: true }),
      probe,
      asked,
    )
    expect(facts.lock).toEqual(known(null))
    expect(facts.systemd).toEqual(unknown('timed-out', 'the probe timed out before it'))
  })

  it('counts ports that an engine publishes without a process as taken', () => {
    const container = [
      'engine /usr/bin/docker',
      'version 26.1.5',
      'listed',
      `id ${'a'.repeat(64)}`,
      'name "/coder"',
      'image "x"',
      'state running 0 false 9 0 2026-01-01T00:00:00Z',
      'health none',
      'restart "no"',
      'entrypoint',
      'command',
      'port 8080/tcp "9996"',
      'port 22/tcp "22"',
    ]
    const listening = '@ss\nLISTEN 0 1 0.0.0.0:22 0.0.0.0:* users:(("docker-proxy",pid=5,fd=3))\n'
    const facts = readProbe(
      output(linux + frame('listeners', listening) + frame('containers', container.join('\n')) + done),
      probe,
      asked,
    )
    expect(facts.listeners).toEqual(
      known([
        { address: '0.0.0.0', port: 22, pid: known(5), process: 'docker-proxy' },
        { address: '0.0.0.0', port: 9996, pid: unknown('unreadable', 'published by container coder'), process: 'docker' },
      ]),
    )
  })
})

describe('an invalid answer', () => {
  it.each([
    [
      'a restricted shell',
      output('This account is currently not available.\n'),
      'It contains no answer of the probe. It printed on stdout: «This account is currently not available.».',
    ],
    [
      'a password prompt',
      output('', { stderr: 'sudo: a password is required\n' }),
      'It contains no answer of the probe. It printed on stderr: «sudo: a password is required».',
    ],
    ['nothing at all', output(''), 'It contains no answer of the probe. It printed nothing.'],
    [
      'binary',
      output('\u0000\u0001\ufffdPNG\u001b[31m\u0007'),
      'It contains no answer of the probe. It printed on stdout: «�PNG [31m».',
    ],
    [
      'half an answer',
      output(`${linux}\n${probe.nonce} begin memory\nMemT`),
      'It stops in the middle of section memory. It printed on stdout: ',
    ],
    ['an answer without its end', output(linux), 'It stops before its end. It printed on stdout: '],
  ])('%s is an error that names what was seen', (_, result, words) => {
    expect(problemOf(result)).toMatchObject({
      code: 'FACTS.GARBLED',
      why: expect.stringContaining(`The answer of nas is unreadable. ${words}`),
    })
  })

  it('silence until the time was over is another', () => {
    expect(problemOf(output('', { timedOut: true }))).toMatchObject({
      code: 'FACTS.SILENT',
      why: expect.stringContaining('nas accepted the connection'),
    })
  })
})
