import { describe, expect, it } from 'vitest'
import type { Preconditions } from '../../src/model/action.ts'
import { changedPreconditions } from '../../src/plan/preconditions.ts'

const process = { pid: 42, start: '1000' }
const all = { definition_digest: 'd1', process, free_port: 9990, boot_id: 'b1', model: 'm1', container: 'c1' }

const cases: readonly (readonly [string, Preconditions, Preconditions, readonly string[]])[] = [
  ['nothing', {}, all, []],
  ['all as planned', all, all, []],
  ['another definition', { definition_digest: 'd0' }, all, ['the definition changed']],
  ['a definition where none was', { definition_digest: null }, all, ['a definition has appeared']],
  ['no definition now', { definition_digest: 'd1' }, { definition_digest: null }, ['the definition is gone']],
  ['a definition that is not reported', { definition_digest: 'd1' }, {}, ['the definition is gone']],
  [
    'the pid in use by another process',
    { process: { pid: 42, start: '999' } },
    all,
    ['the process changed from 42 (started 999) to 42 (started 1000)'],
  ],
  ['a process where none was', { process: null }, all, ['the process changed from none to 42 (started 1000)']],
  ['no process now', { process }, { process: null }, ['the process changed from 42 (started 1000) to none']],
  ['a process that ended by itself, as planned', { process: null }, {}, []],
  ['a port of its own by now', { free_port: 9990 }, {}, ['the check that port 9990 is free is missing']],
  ['a restarted host', { boot_id: 'b0' }, all, ['the host rebooted']],
  ['a boot that is not reported', { boot_id: 'b1' }, {}, ['whether the host rebooted is unknown']],
  ['a model that is not reported', { model: 'm1' }, {}, ['the model files could not be checked again']],
  ['another model', { model: 'm0' }, all, ['the model files changed']],
  ['a recreated container', { container: 'c0' }, all, ['the container was recreated']],
  ['a container where none was', { container: null }, all, ['a container has appeared']],
  ['no container now', { container: 'c1' }, { container: null }, ['the container is gone']],
]

describe('what an action relies on', () => {
  it.each(cases)('%s', (_name, before, now, changed) => expect(changedPreconditions(before, now)).toEqual(changed))

  it('is left to others where they judge it', () => {
    expect(changedPreconditions({ free_port: 9990, container: 'c0' }, all, ['container', 'free_port'])).toEqual([])
  })
})
