import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { askedPort } from '../../src/simulate/asked-port.ts'
import { planInputOf, type Scenario } from '../support/scenario.ts'

function portsOf(scenario: Scenario): Readonly<Record<string, number | undefined>> {
  const { fleet, facts } = planInputOf(scenario)
  const [host] = fleet.hosts
  const seen = host === undefined ? undefined : facts.get(host.name)
  if (host === undefined || seen === undefined || !('salt' in seen)) throw new Error('a scenario has one host, which was seen')
  return Object.fromEntries(host.services.map((service) => [service.name, askedPort(fleet, host, service, seen)]))
}

describe('a server is asked where it listens', () => {
  test('also while two are to swap their ports', () => {
    const swap: Scenario = parse(readFileSync(new URL('../fixtures/plan/ports-swapped.yaml', import.meta.url), 'utf8'))
    expect(portsOf(swap)).toEqual({ coder: 9995, writer: 9996 })
  })

  test('and one that does not run, nowhere while another of ours has its port', () => {
    expect(
      portsOf({ about: '', was: { coder: { port: 9995 } }, services: { coder: { port: 9996 }, writer: { port: 9995 } } }),
    ).toEqual({
      coder: 9995,
      writer: undefined,
    })
  })

  test('and one that does not run, at no port while another process has it, which gets no key', () => {
    const listeners = [{ port: 9995, process: 'python3', pid: 4242 }]
    expect(portsOf({ about: '', services: { coder: { port: 9995 } }, facts: { listeners } })).toEqual({ coder: undefined })
  })

  test('else at the port that it wants', () => {
    expect(portsOf({ about: '', services: { coder: { port: 9995 } } })).toEqual({ coder: 9995 })
  })
})
