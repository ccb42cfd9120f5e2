import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Vault } from 'ansible-vault'
import { afterAll, describe, expect, test } from 'vitest'
import { catalogue } from '../../src/errors/catalogue.ts'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import type { SecretContext } from '../../src/inventory/secret-context.ts'
import { resolveSecret } from '../../src/load/resolve-secret.ts'
import type { SecretReference } from '../../src/model/fleet.ts'

const folder = mkdtempSync(join(tmpdir(), 'converge-secret-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Made by `ansible-vault encrypt_string` 2.14 with the password `pw`. */
const block = `$ANSIBLE_VAULT;1.1;AES256
31343637626663666666616235396330663862653161303161336664306232633334376266663665
3763666639366536633165616431333134323630626334350a616465646338626566393439393532
34383637633462656536663261633534393336643137623237656232313130633537353866656435
3762643630633666640a316666666131333937633232363836326530306265336532636137616639
3031
`

const warnings: string[] = []

function context(env: Record<string, string> = {}): SecretContext {
  return { env: { PATH: process.env['PATH'], ...env }, cwd: folder, home: folder, warn: (sentence) => warnings.push(sentence) }
}

function put(name: string, content: string | Uint8Array, mode = 0o600): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}

async function reveal(reference: SecretReference, env?: Record<string, string>): Promise<string> {
  return (await resolveSecret(reference, context(env))).reveal()
}

async function failure(reference: SecretReference, env?: Record<string, string>): Promise<ConvergeError> {
  try {
    await resolveSecret(reference, context(env))
  } catch (error) {
    if (error instanceof ConvergeError) return error
    throw error
  }
  throw new Error('it could be opened')
}

describe('a secret', () => {
  test('from an environment variable', async () => {
    expect(await reveal({ env: 'CODER_KEY' }, { CODER_KEY: 'sk-1' })).toBe('sk-1')
  })

  test('from a file: one line end is left out, and only one', async () => {
    expect(await reveal({ file: put('unix.key', 'sk-1\n') })).toBe('sk-1')
    expect(await reveal({ file: put('dos.key', 'sk-1\r\n') })).toBe('sk-1')
    expect(await reveal({ file: put('none.key', 'sk-1') })).toBe('sk-1')
    expect(await reveal({ file: put('two.key', ' sk-1 \n\n') })).toBe(' sk-1 \n')
  })

  test('from a file at home or where converge was called', async () => {
    put('here.key', 'sk-1\n')
    expect(await reveal({ file: '~/here.key' })).toBe('sk-1')
    expect(await reveal({ file: 'here.key' })).toBe('sk-1')
  })

  test('from a command, which sees the environment and no shell', async () => {
    expect(await reveal({ command: ['printf', '%s\n', 'sk-1; $HOME'] })).toBe('sk-1; $HOME')
    expect(await reveal({ command: ['sh', '-c', 'echo "$X"'] }, { X: 'sk-2' })).toBe('sk-2')
  })

  test('from a vault block that Ansible made', async () => {
    expect(await reveal({ vault: block }, { ANSIBLE_VAULT_PASSWORD_FILE: put('vault.pw', 'pw\n') })).toBe('sk-vaulted')
  })

  test('from a vault block with a label, its password printed by a program', async () => {
    const labelled = await new Vault({ password: 'other' }).encrypt('sk-labelled', 'prod')
    const program = put('vault.sh', '#!/bin/sh\necho other\n', 0o700)
    expect(labelled).toContain(';1.2;AES256;prod')
    expect(await reveal({ vault: labelled }, { ANSIBLE_VAULT_PASSWORD_FILE: program })).toBe('sk-labelled')
  })

  test('says where it came from and not what it is', async () => {
    const secret = await resolveSecret({ env: 'CODER_KEY' }, context({ CODER_KEY: 'sk-1' }))
    expect(`${String(secret)} ${JSON.stringify({ secret })}`).toBe('*** {"secret":"***"}')
    expect(secret.origin).toBe('environment variable CODER_KEY')
  })
})

describe('a file that others can read', () => {
  test.each([0o644, 0o640, 0o604])('is reported: mode %o', async (mode) => {
    const path = put('open.key', 'sk-1', mode)
    warnings.length = 0
    expect(await reveal({ file: path })).toBe('sk-1')
    expect(warnings).toEqual([`The file ${path} is readable by other users (mode 0${mode.toString(8)}): chmod 600 ${path}`])
  })

  test('is not reported if no other account can read it', async () => {
    warnings.length = 0
    await reveal({ file: put('closed.key', 'sk-1', 0o400) })
    expect(warnings).toEqual([])
  })
})

describe('a secret that cannot be had', () => {
  const cases: readonly (readonly [string, SecretReference, string, Record<string, string>?])[] = [
    ['a variable that is not set', { env: 'CODER_KEY' }, 'SECRET.MISSING'],
    ['a variable that is empty', { env: 'CODER_KEY' }, 'SECRET.EMPTY', { CODER_KEY: '' }],
    ['a missing file', { file: '~/nowhere.key' }, 'SECRET.MISSING'],
    ['a folder', { file: '~' }, 'SECRET.UNREADABLE'],
    ['a path below a file', { file: put('plain', 'x') + '/deeper' }, 'SECRET.UNREADABLE'],
    ['an empty file', { file: put('empty.key', '\n') }, 'SECRET.EMPTY'],
    ['a file that is no text', { file: put('binary.key', Uint8Array.of(0xff, 0xfe, 0x41)) }, 'SECRET.UNREADABLE'],
    ['a file far too large', { file: put('large.key', 'x'.repeat(70_000)) }, 'SECRET.UNREADABLE'],
    ['a missing program', { command: ['no-such-program-here'] }, 'SECRET.COMMAND'],
    ['a command that fails', { command: ['sh', '-c', 'echo sk-out; echo sk-err >&2; exit 3'] }, 'SECRET.COMMAND'],
    ['a command that is killed', { command: ['sh', '-c', 'kill -TERM $$'] }, 'SECRET.COMMAND'],
    ['a command that prints without end', { command: ['sh', '-c', 'while :; do echo sk-sk-sk-sk-sk; done'] }, 'SECRET.COMMAND'],
    ['a command that says nothing', { command: ['true'] }, 'SECRET.EMPTY'],
    ['a vault block without a password', { vault: block }, 'SECRET.VAULT_PASSWORD'],
    [
      'a vault block with an empty password',
      { vault: block },
      'SECRET.VAULT_PASSWORD',
      { ANSIBLE_VAULT_PASSWORD_FILE: put('empty.pw', ' \n') },
    ],
    ['a vault block whose password file is gone', { vault: block }, 'SECRET.MISSING', { ANSIBLE_VAULT_PASSWORD_FILE: '~/gone' }],
    [
      'a vault block with another password',
      { vault: block },
      'SECRET.VAULT',
      { ANSIBLE_VAULT_PASSWORD_FILE: put('wrong.pw', 'wrong') },
    ],
    [
      'a vault block that is damaged',
      { vault: block.replace('3763', '3764') },
      'SECRET.VAULT',
      { ANSIBLE_VAULT_PASSWORD_FILE: put('good.pw', 'pw') },
    ],
    [
      'a vault block that is cut off',
      { vault: '$ANSIBLE_VAULT;1.1;AES256\n31' },
      'SECRET.VAULT',
      { ANSIBLE_VAULT_PASSWORD_FILE: put('good.pw', 'pw') },
    ],
    [
      'a vault block of another sort',
      { vault: '$ANSIBLE_VAULT;9.9;AES512\n3132' },
      'SECRET.VAULT',
      { ANSIBLE_VAULT_PASSWORD_FILE: put('good.pw', 'pw') },
    ],
  ]

  test.each(cases.map(([name, reference, code, env]) => ({ name, reference, code, env })))(
    '$name',
    async ({ reference, code, env }) => {
      const error = await failure(reference, env)
      expect(error.code).toBe(code)
      expect(catalogue[error.code].exit).toBe(4)
      expect(error.next.length).toBeGreaterThan(0)
      expect(error.cause).toBeUndefined()
    },
  )

  test('shows nothing that its command printed', async () => {
    const program = put('leaky.sh', '#!/bin/sh\necho sk-out\necho sk-err >&2\nexit 3\n', 0o700)
    const error = await failure({ command: [program] })
    expect(JSON.stringify([error.message, error.toProblem(), error.stack])).not.toMatch(/sk-/u)
    expect(error.why).toContain('exit code 3')
  })

  test('names the reference', async () => {
    expect((await failure({ env: 'CODER_KEY' })).why).toContain('CODER_KEY')
    expect((await failure({ file: '~/nowhere.key' })).why).toContain('~/nowhere.key')
    expect((await failure({ command: ['op', 'read it'] })).why).toContain("op 'read it'")
  })

  test('a command whose helper keeps its stdout open still yields its secret', async () => {
    const started = performance.now()
    expect(await reveal({ command: ['sh', '-c', 'echo sk-3; sleep 20 &'] })).toBe('sk-3')
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  test('a command that is interrupted ends at once, though its helper does not', async () => {
    const signal = AbortSignal.timeout(50)
    const started = performance.now()
    const command = ['sh', '-c', 'sleep 20 & sleep 20']
    await expect(resolveSecret({ command }, { ...context(), signal })).rejects.toThrow(/abort|timeout/iu)
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  test('a command that is interrupted ends at once', async () => {
    const signal = AbortSignal.timeout(50)
    const started = performance.now()
    await expect(resolveSecret({ command: ['sleep', '20'] }, { ...context(), signal })).rejects.toThrow(/abort|timeout/iu)
    expect(performance.now() - started).toBeLessThan(15_000)
  })
})
