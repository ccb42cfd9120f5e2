import { describe, expect, it } from 'vitest'
import type { Preconditions } from '../../src/model/action.ts'
import { changedPreconditions } from '../../src/plan/preconditions.ts'

const process = { pid: 42, start: '1000' }
const all = { definition_digest: 'd1', process, free_port: 9990, boot_id: 'b1', model: 'm1', container: 'c1' }

const cases: readonly (readonly [string, Preconditions, Preconditions, readonly string[]])[] = [
  ['nothing', {}, all, []],
  ['all as planned', all, all, []],
  ['another definition', { definition_digest: 'd0' }, all, ['the definition was changed']],
  ['a definition where none was', { definition_digest: null }, all, ['there was no definition, now there is one']],
  ['no definition any more', { definition_digest: 'd1' }, { definition_digest: null }, ['the definition is gone']],
  ['a definition nobody tells of', { definition_digest: 'd1' }, {}, ['the definition is gone']],
  [
    'the pid in use by another process',
    { process: { pid: 42, start: '999' } },
    all,
    ['process 42 (started 999) was there, now process 42 (started 1000) is'],
  ],
  ['a process where none was', { process: null }, all, ['no process was there, now process 42 (started 1000) is']],
  ['no process any more', { process }, { process: null }, ['process 42 (started 1000) was there, now no process is']],
  ['a process that ended by itself, as planned', { process: null }, {}, []],
  ['a port of its own by now', { free_port: 9990 }, {}, ['port 9990 was to be free, and that is not asked any more']],
  ['a restarted host', { boot_id: 'b0' }, all, ['the host was restarted']],
  ['a boot nobody tells of', { boot_id: 'b1' }, {}, ['whether the host was restarted could not be seen']],
  ['a model nobody sees', { model: 'm1' }, {}, ['the model files could not be seen again']],
  ['another model', { model: 'm0' }, all, ['the model files were changed']],
  ['a container made anew', { container: 'c0' }, all, ['the container was made anew']],
  ['a container where none was', { container: null }, all, ['there was no container, now there is one']],
  ['no container any more', { container: 'c1' }, { container: null }, ['the container is gone']],
]

describe('what an action relies on', () => {
  it.each(cases)('%s', (_name, before, now, changed) => expect(changedPreconditions(before, now)).toEqual(changed))

  it('is left to others where they judge it', () => {
    expect(changedPreconditions({ free_port: 9990, container: 'c0' }, all, ['container', 'free_port'])).toEqual([])
  })
})
