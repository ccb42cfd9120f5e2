import { describe, expect, it } from 'vitest'
import { brokenPreconditions } from '../../src/apply/preconditions.ts'
import { known, unknown } from '../../src/model/observed.ts'

const process = { pid: 42, start: '1000' }
const service = known({ definitionDigest: 'd1', process })
const platform = known({ os: 'linux' as const, kernel: 'Linux', arch: 'x86_64', hostname: 'nas', bootId: 'b1' })
const nobody = known([])
const facts = { listeners: nobody, platform }
const someone = {
  ...facts,
  listeners: known([{ address: '0.0.0.0', port: 9990, pid: unknown('not-permitted'), process: 'nginx' }]),
}

describe('what an action relies on', () => {
  it.each([
    ['nothing', {}, service, facts, []],
    ['all as planned', { definition_digest: 'd1', process, free_port: 9990, boot_id: 'b1' }, service, facts, []],
    ['another definition', { definition_digest: 'd0' }, service, facts, ['the definition was changed']],
    ['a definition where none was', { definition_digest: null }, service, facts, ['there was no definition, now there is one']],
    [
      'no definition any more',
      { definition_digest: 'd1' },
      known({ definitionDigest: null, process }),
      facts,
      ['the definition is gone'],
    ],
    [
      'the pid in use by another process',
      { process: { pid: 42, start: '999' } },
      service,
      facts,
      ['process 42 (started 999) was there, now process 42 (started 1000) is'],
    ],
    ['a process where none was', { process: null }, service, facts, ['no process was there, now process 42 (started 1000) is']],
    ['a taken port', { free_port: 9990 }, service, someone, ['port 9990 was free, now nginx listens there']],
    ['a restarted host', { boot_id: 'b0' }, service, facts, ['the host was restarted']],
    [
      'a service that cannot be seen',
      { process: null },
      unknown('not-permitted', 'docker: permission denied'),
      facts,
      ['the service could not be observed again (docker: permission denied)'],
    ],
    [
      'ports that cannot be seen',
      { free_port: 9990 },
      service,
      { ...facts, listeners: unknown('no-such-tool') },
      ['whether port 9990 is free could not be seen again'],
    ],
  ] as const)('%s', (_name, relies, now, seen, broken) => {
    expect(brokenPreconditions(relies, now, seen)).toEqual(broken)
  })
})
