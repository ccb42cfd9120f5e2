import { describe, expect, it } from 'vitest'
import { aboutServers, questionFor } from '../../src/facts/question.ts'
import { managers } from '../../src/managers/index.ts'
import type { Fleet, Host, Service } from '../../src/model/fleet.ts'

const source = { file: 'hosts.yaml', line: 1, column: 1, keys: {} }

function service(name: string, more: Partial<Service>): Service {
  return {
    name,
    host: 'nas',
    kind: 'A',
    manager: 'compose',
    state: 'running',
    port: 9996,
    alias: name,
    bind: '0.0.0.0',
    model: { path: `/srv/m/${name}.gguf` },
    ctxSize: 4096,
    jinja: true,
    extraArgs: [],
    extraEnv: {},
    envPrefix: 'SRV',
    noBrowser: false,
    allowedHosts: [],
    keyDelivery: 'file',
    readyTimeoutS: 60,
    completionTimeoutS: 60,
    stopTimeoutS: 60,
    keepAwake: false,
    source,
    ...more,
  }
}

function fleetWith(services: readonly Service[]): { host: Host; fleet: Fleet } {
  const connection = { transport: 'ssh', address: 'nas', sshArgs: [], become: false, becomeUser: 'root' } as const
  const host: Host = {
    name: 'nas',
    groups: ['all'],
    connection,
    platform: 'linux',
    convergeDir: '/volume1/converge',
    services,
    source,
  }
  const settings = { org: 'example', ports: { min: 9990, reserved: [] }, headroomGb: 8, smallRamGb: 32 }
  return { host, fleet: { path: 'inv', settings, hosts: [host], groups: [], digest: 'd' } }
}

const compose = {
  isContainer: true,
  asks: ({ name }: Service, org: string) => ({
    definitions: [`@root/${name}/compose.yaml`],
    keyFiles: [`@root/${name}/key`, '@root/shared'],
    units: [],
    containers: [`${org}-${name}`],
    images: ['server:1'],
    executables: [],
  }),
} as const

const nothing = { definitions: [], keyFiles: [], units: [], containers: [], images: [], executables: [] }

describe('what a host is asked', () => {
  const services = [
    service('coder', { key: { env: 'K' } }),
    service('tiny', { port: 9997, model: { path: '/srv/m/coder.gguf' } }),
    service('flagship', {
      kind: 'B',
      manager: 'systemd',
      port: 9998,
      interpreter: '/usr/bin/python3',
      executable: '/opt/kindb/serve',
      model: { path: '/srv/flag' },
      ramGb: 64,
      key: { env: 'K' },
      extraEnv: { HF_TOKEN: 'x', THREADS: '4' },
    }),
    service('boxed', { kind: 'B', executable: '/in/container', port: 9999, model: { path: '/srv/flag' }, ramGb: 8 }),
  ]
  const { host, fleet } = fleetWith(services)
  const asked = questionFor(host, fleet, { ...managers, compose, systemd: { isContainer: false, asks: () => nothing } }, '5a17')

  it('collects what the managers ask, each thing once', () => {
    expect(asked).toMatchObject({
      host: 'nas',
      platform: 'linux',
      convergeDir: '/volume1/converge',
      org: 'example',
      salt: '5a17',
    })
    expect(asked.definitions).toEqual(['@root/coder/compose.yaml', '@root/tiny/compose.yaml', '@root/boxed/compose.yaml'])
    expect(asked.keyFiles).toEqual(['@root/coder/key', '@root/shared', '@root/tiny/key', '@root/boxed/key'])
    expect(asked.containers).toEqual(['example-coder', 'example-tiny', 'example-boxed'])
    expect(asked.images).toEqual(['server:1'])
  })

  it('asks about each model once, and for the space where models and definitions go', () => {
    expect(asked.models).toEqual(['/srv/m/coder.gguf', '/srv/flag'])
    expect(asked.disks).toEqual(['@root/', '/srv/m/coder.gguf', '/srv/flag'])
  })

  it('runs no program that lies in a container, but knows it', () => {
    expect(asked.executables).toEqual(['/opt/kindb/serve'])
    expect(asked.programs).toEqual([
      { path: '/opt/kindb/serve', kind: 'B', interpreter: '/usr/bin/python3' },
      { path: '/in/container', kind: 'B' },
    ])
  })

  it('reads the environment only of Kind B; keys, under any name, only as digests', () => {
    const byName = Object.fromEntries(asked.environment.map(({ name, secret }) => [name, secret]))
    expect(byName).toMatchObject({
      SRV_MODEL: false,
      CTX: false,
      RAM_GB: false,
      THREADS: false,
      SRV_API_KEY: true,
      HF_TOKEN: true,
    })
  })

  it('asks every service over HTTP, stopped or not', () => {
    expect(asked.http).toEqual([
      { service: 'coder', port: 9996, kind: 'A' },
      { service: 'tiny', port: 9997, kind: 'A' },
      { service: 'flagship', port: 9998, kind: 'B' },
      { service: 'boxed', port: 9999, kind: 'B' },
    ])
  })
})

it('asks for servers without a request to any, a start of a program, or a look at a model', () => {
  const { host, fleet } = fleetWith([
    service('coder', { manager: 'systemd', executable: '/usr/bin/llama-server', envPrefix: 'SRV' }),
  ])
  const whole = questionFor(host, fleet, managers, 'salt')
  const left = { models: [], executables: [], disks: [], http: [], images: [], fetches: [] }
  expect(whole).not.toMatchObject(left)
  expect(aboutServers(whole)).toEqual({ ...whole, ...left })
  expect(aboutServers(whole)).toMatchObject({ programs: [{ path: '/usr/bin/llama-server' }], units: ['coder.service'] })
})
