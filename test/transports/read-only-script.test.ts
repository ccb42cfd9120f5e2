import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ReadOnlyScript } from '../../src/transports/read-only-script.ts'
import { shTransport } from '../support/sh-transport.ts'
import { script } from '../support/transport-options.ts'

/** Ways in which a script that was said to look might write after all. */
const slips = [
  'echo lost >there',
  ': >there',
  'echo more >>there',
  'echo new >new',
  'echo new | tee new',
  'head -c 100000 /dev/zero >new',
  'cp there new; dd if=there of=other',
  `sh -c 'echo new >new; echo more >>there'`,
  'kill -SEGV "$(sh -c \'echo $PPID\')"',
]

describe.each([['dash'], ['bash'], ['busybox', 'sh']])('a script that only looks, under %s', (...shell) => {
  it.each(slips)('puts no byte into any file: %s', async (text) => {
    await using host = await shTransport(shell)
    writeFileSync(join(host.folder, 'there'), 'as it was')
    await host.look(ReadOnlyScript.vouchedFor(script(text)))
    const content = (name: string) => readFileSync(join(host.folder, name), 'utf8')
    expect(content('there')).toBe('as it was')
    for (const name of readdirSync(host.folder))
      expect([name, content(name)]).toEqual([name, name === 'there' ? 'as it was' : ''])
  })

  it('is not killed for a write that fails, and says what it has to say', async () => {
    await using host = await shTransport(shell)
    const text = 'head -c 10 /dev/zero >new; echo still here; echo "$1" | cat; echo complaint >&2'
    const result = await host.look(ReadOnlyScript.vouchedFor(script(text, { args: ['an argument'] })))
    expect(result).toMatchObject({ exitCode: 0, stdout: 'still here\nan argument\n' })
    expect(result.stderr).toMatch(/complaint\n$/)
  })
})
