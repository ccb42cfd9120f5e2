import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { DoctorDocument, Subject } from '../../src/model/doctor-document.ts'
import { convergeHere } from '../support/converge-here.ts'

const root = join(import.meta.dirname, '../..')
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKbm0BYmLbbWdKN4RSXJbKIzYZSr2h3bMzNNo0Q1Ebzk secret-name@laptop'

let place: string
const at = (name: string) => join(place, name)
const env = () => ({ PATH: at('bin'), HOME: at('home'), XDG_CACHE_HOME: at('cache'), CONVERGE_STATE_DIR: at('state') })

/** A program of this machine. */
function program(name: string, script: string): void {
  writeFileSync(at(`bin/${name}`), `#!/bin/sh\n${script}\n`)
  chmodSync(at(`bin/${name}`), 0o755)
}

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'doctor-'))
  for (const folder of ['bin', 'home', 'cwd']) mkdirSync(at(folder))
  program('ssh', 'echo OpenSSH_9.2p1 Debian-2, OpenSSL 3.0 >&2')
  program('ssh-keygen', 'exit 1')
  program('ssh-add', `echo '${key}'`)
  program('crontab', 'echo "no crontab for me" >&2; exit 1')
  for (const [name, value] of Object.entries(env())) vi.stubEnv(name, value)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(place, { recursive: true })
})

async function doctor(more: Readonly<Record<string, string>> = {}, args: readonly string[] = []) {
  const given = { ...env(), SSH_AUTH_SOCK: at('agent'), ...more }
  const { code, stdout } = await convergeHere(['doctor', '--json', ...args], { env: given, cwd: at('cwd') })
  const document = JSON.parse(stdout) as DoctorDocument
  const said = (about: Subject) => {
    const { verdict, found, next } = document.checks.find((one) => one.about === about) ?? { found: 'missing', next: [] }
    return [`${verdict}: ${found}`, ...next.map(String)].join('\n').replaceAll(place, '')
  }
  return { code, said, stdout, verdict: document.verdict }
}

const inventory = ['-i', join(root, 'inventories/home')]

test('a machine that has everything is fit, and nothing is written', async () => {
  const { code, said, stdout, verdict } = await doctor({}, inventory)
  expect({ code, verdict }).toEqual({ code: 0, verdict: 'ok' })
  expect(said('ssh')).toBe('ok: OpenSSH 9.2p1')
  expect(said('agent')).toBe('ok: reachable, 1 key')
  expect(said('state')).toMatch(/^ok: \/state \(made by the first run that writes, [\d.]+ [GTM]iB free\)$/)
  expect(said('clock')).toMatch(/no earlier run/)
  expect(said('inventory')).toMatch(/home: 5 hosts, 4 services$/)
  expect(stdout).not.toMatch(/secret-name|AAAAC3/)
  expect(await readdir(place)).toEqual(['bin', 'cwd', 'home'])
})

interface Case {
  readonly of: string
  readonly about: Subject
  readonly says: RegExp
  readonly code?: number
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  readonly make?: () => void
}

const cases: readonly Case[] = [
  {
    of: 'no ssh',
    about: 'ssh',
    says: /^problem: not on the PATH[^]*\n.*apt install/,
    code: 2,
    make: () => rmSync(at('bin/ssh')),
  },
  {
    of: 'no ssh-keygen',
    about: 'ssh-keygen',
    says: /^problem: not on the PATH/,
    code: 2,
    make: () => rmSync(at('bin/ssh-keygen')),
  },
  {
    of: 'an old ssh',
    about: 'ssh',
    says: /^problem: OpenSSH 6\.9p1 is too old/,
    code: 2,
    make: () => program('ssh', 'echo OpenSSH_6.9p1, LibreSSL 2.1.8 >&2'),
  },
  {
    of: 'an ssh that is another program, with much to say',
    about: 'ssh',
    says: /^problem: the program is not OpenSSH: Dropbear v2022 x{50,120}…\n/,
    code: 2,
    make: () => program('ssh', `echo "Dropbear v2022 ${'x'.repeat(5000)}" >&2`),
  },
  { of: 'no agent', about: 'agent', says: /^note: none .*\n.*ssh-agent/, env: { SSH_AUTH_SOCK: '' } },
  {
    of: 'an empty agent',
    about: 'agent',
    says: /^note: reachable, but without a key\nssh-add$/,
    make: () => program('ssh-add', 'exit 1'),
  },
  { of: 'a dead agent', about: 'agent', says: /^note: unreachable at \/agent\n/, make: () => program('ssh-add', 'exit 2') },
  {
    of: 'a state folder that others write to',
    about: 'state',
    says: /^problem: \/state is writable by other users\nchmod go-w/,
    code: 2,
    make: () => {
      mkdirSync(at('state'))
      chmodSync(at('state'), 0o777)
    },
  },
  {
    of: 'a file in place of the state folder',
    about: 'state',
    says: /^problem: \/state is not a folder\n/,
    code: 2,
    make: () => writeFileSync(at('state'), ''),
  },
  {
    of: 'a cache folder that others write to',
    about: 'cache',
    says: /^note: not used/,
    make: () => {
      mkdirSync(at('cache/converge'), { recursive: true })
      chmodSync(at('cache/converge'), 0o777)
    },
  },
  {
    of: 'a run of the future',
    about: 'clock',
    says: /^note: .* is before the last run/,
    make: () => {
      mkdirSync(at('state/history'), { recursive: true })
      const id = '29990101T000000Z-abcdef'
      const of = { verb: 'apply', inventory: 'x', exit_code: 0, overview: { headline: 'done', tone: 'good', hosts: [] } }
      const kept = { schema: 'converge/kept-run/v1', run_id: id, at: '2999-01-01T00:00:00.000Z', document: {}, ...of }
      writeFileSync(at(`state/history/${id}.json`), JSON.stringify(kept))
    },
  },
  { of: 'no inventory', about: 'inventory', says: /^note: [^]*converge init/ },
  {
    of: 'an invalid inventory',
    about: 'inventory',
    says: /^problem: .*: \d+ mistakes?\nconverge validate -i/,
    code: 2,
    args: ['-i', join(root, 'test/fixtures/cli/invalid.yaml')],
  },
  {
    of: 'a schedule in the crontab, with a report',
    about: 'schedules',
    says: /^ok: drift \(cron, last report 2026-11-01 08:00Z\)$/,
    make: () => {
      program('crontab', "echo '# converge: drift begin'; echo '0 * * * * /bin/sh run'; echo '# converge: drift end'")
      mkdirSync(at('state/schedule/drift'), { recursive: true })
      writeFileSync(at('state/schedule/drift/last.json'), '{}')
      const then = new Date('2026-11-01T08:00:00Z')
      utimesSync(at('state/schedule/drift/last.json'), then, then)
    },
  },
  {
    of: 'a crontab that is unreadable',
    about: 'schedules',
    says: /^note: none installed; those of cron are unknown: .*not allowed/,
    make: () => program('crontab', 'echo "you are not allowed to use this program" >&2; exit 1'),
  },
  { of: 'a machine without cron', about: 'schedules', says: /^ok: none installed$/, make: () => rmSync(at('bin/crontab')) },
]

describe('a machine with', () => {
  test.for(cases)('$of', async ({ about, says, code = 0, env: more, args, make }) => {
    make?.()
    const { code: ended, said } = await doctor(more, args)
    expect(said(about)).toMatch(says)
    expect(ended).toBe(code)
  })
})
