import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { buildProbe, probeFunctions } from '../../src/facts/build-probe.ts'
import type { Platform } from '../../src/model/names.ts'
import { question } from '../facts/question-with.ts'

/** Set by the frame for the library, and the other way round. */
const given =
  'family=linux limiter=watch uid=0 home=/ root=/ salt=a nonce=b redactor=c system=d user=e\nexport family limiter uid home root salt nonce redactor system user\n'

/**
 * Left out, each for its reason: `ls` and `grep` give lists that are read by form (2012, 2013); awk programs and Go templates hold
 * dollars in single quotes (2016); quotes inside `library` and `redactor` are meant for eval and awk (2089, 2090); `digest` takes
 * files or stdin (2119, 2120); sudo sets two variables alike (2153).
 */
const exceptions = 'SC2012,SC2013,SC2016,SC2089,SC2090,SC2119,SC2120,SC2153'

function functionsOf(platform: Platform): string {
  const { shared, quick, slow } = probeFunctions(platform)
  return `${given}${shared}${quick}${slow}`
}

async function lint(script: string): Promise<string> {
  const { stdout } = await execa(
    'shellcheck',
    ['--shell=sh', '--severity=style', `--exclude=${exceptions}`, '--format=gcc', '-'],
    {
      input: script,
      reject: false,
    },
  )
  return stdout
}

describe('the probe as shellcheck sees it', () => {
  it.each(['linux', 'macos'] as const)('has clean functions for %s', async (platform) => {
    expect(await lint(functionsOf(platform))).toBe('')
  })

  it('has a clean frame', async () => {
    const { script } = buildProbe(question())
    const library = /^(library|quick|slow)='(?:[^']|'\\'')*'$/gm
    expect(script.match(library)).toHaveLength(3)
    expect(await lint(`${functionsOf('linux')}\n${script.replaceAll(library, '$1=')}`)).toBe('')
  })

  it.each([['dash'], ['bash', '--posix'], ['busybox', 'ash']])('is grammar to %s %s', async (...shell) => {
    const [file = '', ...first] = shell.filter((word) => typeof word === 'string')
    const { exitCode, stderr } = await execa(file, [...first, '-n'], { input: buildProbe(question()).script, reject: false })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  })

  it('does nothing when it arrives cut short, wherever that is', async () => {
    const { script, args, nonce } = buildProbe(question({ platform: 'linux' }))
    for (let part = 1; part < 10; part++) {
      const cut = script.slice(0, Math.floor((script.length * part) / 10))
      const { stdout } = await execa('dash', ['-s', '--', ...args], { input: cut, reject: false })
      expect(stdout).not.toContain(nonce)
    }
    const last = script.lastIndexOf('probe "$@"')
    const { stdout } = await execa('dash', ['-s', '--', ...args], { input: script.slice(0, last + 3), reject: false })
    expect(stdout).toBe('')
  })
})
