import { expect, it } from 'vitest'
import { defined } from '../../src/lib/defined.ts'
import { originOf } from '../../src/managers/compose/origin.ts'
import { startedInContainer } from '../../src/managers/compose/started.ts'
import type { Container } from '../../src/model/facts.ts'
import { known, unknown } from '../../src/model/observed.ts'
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

it('a container of no project is found by its own name, and has no file', () => {
  expect(origin({}, 'brave')).toMatchObject({ words: 'the container brave', fields: {} })
})

interface Inside {
  readonly about: string
  readonly argv: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly port?: number
  readonly binds: readonly string[]
  readonly ports: readonly string[]
  readonly addresses?: readonly string[]
  readonly outside: readonly string[]
}

const insides: readonly Inside[] = [
  {
    about: 'another folder, port and address, and a projector beside the model',
    argv: ['llama-server', '-m', '/data/m.gguf', '--mmproj=/data/proj.gguf', '--port', '8080', '--host', '0.0.0.0'],
    port: 8080,
    binds: ['/srv/models:/data:ro'],
    ports: ['9990:8080'],
    addresses: ['127.0.0.1'],
    outside: [
      'llama-server -m /srv/models/m.gguf --mmproj=/models/proj.gguf --port 8080 --host 0.0.0.0',
      '--port 9990 --host 127.0.0.1',
    ],
  },
  {
    about: 'the default port, on all addresses',
    argv: ['llama-server', '-m', '/m.gguf'],
    binds: ['/srv/models/m.gguf:/m.gguf'],
    ports: ['9990:8080'],
    addresses: ['0.0.0.0', '::'],
    outside: ['llama-server -m /srv/models/m.gguf', '--port 9990 --host 0.0.0.0'],
  },
  {
    about: 'a file outside its mounts, and a port that is not published',
    argv: ['llama-server', '-m', '/root/.cache/m.gguf', '--port', '8081'],
    port: 8081,
    binds: ['/srv/models:/models'],
    ports: ['9990:8080'],
    outside: ['llama-server -m /root/.cache/m.gguf --port 8081'],
  },
]

it.each(insides)('what runs in a container is seen from the host: $about', (inside) => {
  if (made === undefined || resident === undefined) throw new Error('nothing runs')
  const { port: _port, env: _env, ...rest } = resident
  const { argv, env = {}, port } = inside
  const listeners = known((inside.addresses ?? []).map((address) => ({ address, port: 9990, pid: unknown('not-gathered') })))
  const process = { resident: { ...rest, argv, env, ...defined({ port }) }, surveyed: undefined, facts: { listeners } }
  const started = startedInContainer(process, { ...made, binds: inside.binds, ports: inside.ports }, 'A')
  expect(started.argv.join(' ')).toBe(inside.outside.join(' '))
})
