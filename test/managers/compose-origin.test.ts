import { expect, it } from 'vitest'
import { originOf } from '../../src/managers/compose/origin.ts'
import type { Container } from '../../src/model/facts.ts'
import { known } from '../../src/model/observed.ts'
import { hostWith, inputOf } from './given-input.ts'

const { service, key } = inputOf({ name: 'coder' }, null)
const facts = hostWith(service, 'running', key)
const containers = facts.containers.known ? facts.containers.value : undefined
const [made] = containers?.containers ?? []
const [resident] = facts.residents.known ? facts.residents.value : []

function origin(given: Container['labels'], name = 'ai-llama-1') {
  if (containers === undefined || made === undefined || resident === undefined) throw new Error('nothing runs')
  const container = { ...made, name, labels: given }
  return originOf({
    resident,
    surveyed: undefined,
    facts: { ...facts, containers: known({ ...containers, containers: [container] }) },
  })
}

function labels(more: Readonly<Record<string, string>> = {}): Container['labels'] {
  const own = {
    project: 'ai',
    service: 'llama',
    'project.config_files': '/srv/ai/compose.yaml',
    'project.working_dir': '/srv/ai',
  }
  return Object.fromEntries(Object.entries({ ...own, ...more }).map(([name, value]) => [`com.docker.compose.${name}`, value]))
}

it.each([
  ['the usual names', labels(), 'ai-llama-1', {}],
  ['names of docker-compose 1', labels({ 'project.config_files': 'compose.yaml' }), 'ai_llama_1', {}],
  ['another project', labels({ project: 'chat' }), 'chat-llama-1', { project: 'chat' }],
  ['a container of its own name', labels(), 'llama', { container: 'llama' }],
])('a process of a compose service has the fields of its file: %s', (_, given, name, more) => {
  expect(origin(given, name)).toMatchObject({ fields: { file: '/srv/ai/compose.yaml', file_service: 'llama', ...more } })
  expect(origin(given, name)?.unmanageable).toBeUndefined()
})

it.each([
  ['several files', labels({ 'project.config_files': '/srv/ai/compose.yaml,/srv/ai/gpu.yaml' }), 'several compose files'],
  ['no file', labels({ 'project.config_files': '' }), 'do not say'],
  ['a file without a folder', labels({ 'project.config_files': 'compose.yaml', 'project.working_dir': '' }), 'relative path'],
  ['one command', labels({ oneoff: 'True' }), 'compose run'],
  ['JSON', labels({ 'project.config_files': '/srv/ai/compose.json' }), '.yaml or .yml'],
])('a process of a compose service is not manageable: %s', (_, given, why) => {
  expect(origin(given)).toMatchObject({ fields: {}, unmanageable: expect.stringContaining(why) })
})

it('a container of no project has no origin', () => expect(origin({})).toBeUndefined())
