import { expect, it } from 'vitest'
import type { HostFacts, Resident } from '../../src/model/facts.ts'
import { known, unknown } from '../../src/model/observed.ts'
import { usersOf } from '../../src/simulate/fetch/users.ts'
import { aHost, someFacts } from '../support/build.ts'
import { containers, running } from '../support/prune-case.ts'
import { found, nothing } from './fetch-cases.ts'

const model = '/srv/models/coder-00001-of-00002.gguf'
const second = '/srv/models/coder-00002-of-00002.gguf'
const fact = known({ ...nothing, files: [found(model, 7, '41'), found(second, 7, '42')] })

const mapped = (path: string, inode: string, more = {}) => ({ argv: [], mapped: [{ path, inode, ...more }] })
const inBox = { argv: ['--model', '/models/coder-00001-of-00002.gguf'], container: 'abcdef012345' }

it.each<[string, Partial<Resident>, boolean, Partial<HostFacts>?]>([
  ['was started with its path', { argv: ['llama-server', '--model', model] }, true],
  ['was started with it in its environment', { argv: [], env: { LLAMA_ARG_MODEL: model } }, true],
  ['was started with another path', { argv: ['llama-server', '--model', '/srv/models/other.gguf'] }, false],
  ['has one of its parts mapped', mapped(second, '42'), true],
  ['has mapped what had its name before', mapped(second, '42', { deleted: true }), false],
  ['has another file with its name mapped', mapped(second, '43'), false],
  ['has a file of another volume with its inode mapped', mapped('/mnt/other.gguf', '42'), false],
  ['does not show its model', { argv: [] }, false],
  ['sees its folder in a container', inBox, true, containers({ id: 'abcdef012345' })],
  ['sees another folder in a container', inBox, false, containers({ id: 'abcdef012345', binds: ['/other:/models:ro'] })],
])('a server that %s: in use %s', (_what, process, isUser, more = {}) => {
  const facts = someFacts(aHost(), { ...running({ pid: 7, ...process }), ...more })
  expect(usersOf(model, fact, facts)).toEqual(isUser ? [7] : [])
})

it('its users are unknown if processes cannot be seen', () => {
  expect(usersOf(model, fact, someFacts(aHost(), { residents: unknown('not-permitted') }))).toEqual([])
})
