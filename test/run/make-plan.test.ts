import { describe, expect, it } from 'vitest'
import type { Host } from '../../src/model/fleet.ts'
import { known } from '../../src/model/observed.ts'
import type { Approval } from '../../src/model/playbook.ts'
import { Secret } from '../../src/model/secret.ts'
import { makePlan, type Planner, servicesOf } from '../../src/run/make-plan.ts'
import { defaultPlay, type SelectedPlay } from '../../src/run/plays.ts'
import { aFleet, aHost, aService, gibibyte, someFacts } from '../support/build.ts'

const small = { totalBytes: 32 * gibibyte, availableBytes: 30 * gibibyte }
const nas = aHost({ name: 'nas', services: [aService({ name: 'a', port: 9990 }), aService({ name: 'b', port: 9991 })] })

function planner(host: Host): Planner {
  const fleet = aFleet({ hosts: [host] })
  const keys = host.services.map((one) => [`${host.name}/${one.name}`, known(new Secret('0123456789abcdef', 'env KEY'))] as const)
  return {
    open: { fleet, hosts: [host], selects: () => true, everyService: true, warnings: [] },
    keys: new Map(keys),
    context: { now: () => new Date('2026-11-01T08:00:00Z') },
  }
}

function aPlay(services: readonly string[], approvals: readonly Approval[] = []): SelectedPlay {
  return { play: { ...defaultPlay, name: services.join(), approvals }, hosts: [nas], services, settings: services.includes('*') }
}

const everything = ['nas/a/install', 'nas/a/start', 'nas/b/install', 'nas/b/start']

function planOf(plays: readonly SelectedPlay[], play?: SelectedPlay, actions = everything) {
  const facts = someFacts(nas, { memory: known(small) })
  const { hosts } = makePlan(
    planner(nas),
    { plays, approvals: [] },
    new Map([['nas', facts]]),
    play === undefined ? undefined : { play, actions },
  )
  const [host] = hosts
  return {
    starts: host?.actions.filter((action) => action.starts).map((action) => action.service),
    refused: host?.refusals.map((one) => `${one.service} ${one.code}`),
    consented: host?.consented.map((one) => `${one.service} ${one.code}`),
  }
}

describe('the plan of several plays', () => {
  it('judges what one play starts beside what another one starts', () => {
    const { starts, refused } = planOf([aPlay(['a']), aPlay(['b'])])
    expect(starts).toEqual(['a'])
    expect(refused).toContain('b CORUN.SECOND_KIND_A')
  })

  it('keeps the approvals of a play to what the play selects', () => {
    const leave: Approval = {
      code: 'CORUN.SECOND_KIND_A',
      service: '*',
      reason: 'a test',
      origin: { file: 'p.yaml', line: 1, column: 1 },
    }
    expect(planOf([aPlay(['a'], [leave]), aPlay(['b'])]).refused).toContain('b CORUN.SECOND_KIND_A')
    expect(planOf([aPlay(['a']), aPlay(['b'], [leave])]).consented).toEqual(['b CORUN.SECOND_KIND_A'])
  })

  it('gives a service that two plays select the approvals of both', () => {
    const leave: Approval = {
      code: 'CORUN.SECOND_KIND_A',
      service: 'b',
      reason: 'a test',
      origin: { file: 'p.yaml', line: 1, column: 1 },
    }
    expect(planOf([aPlay(['a', 'b']), aPlay(['b'], [leave])]).starts).toEqual(['a', 'b'])
  })

  it('plans the services of one play alone when that play acts', () => {
    const [first, second] = [aPlay(['a']), aPlay(['b'])]
    expect(planOf([first, second], first).starts).toEqual(['a'])
    expect(planOf([first, second], second).starts).toEqual(['b'])
  })

  it('judges nothing beside actions that will not be done', () => {
    const play = aPlay(['a', 'b'])
    expect(planOf([play], play)).toMatchObject({ starts: ['a'], refused: ['b CORUN.SECOND_KIND_A'] })
    expect(planOf([play], play, ['nas/b/install', 'nas/b/start'])).toMatchObject({ starts: ['b'], refused: [] })
  })
})

describe('the services of several plays', () => {
  it('are each reported once, and no others', () => {
    const plays = [aPlay(['b']), aPlay(['a', 'b']), { ...aPlay(['a']), hosts: [aHost({ name: 'studio' })] }]
    expect(servicesOf(planner(nas), plays).map(({ name }) => name)).toEqual(['a', 'b'])
    expect(servicesOf(planner(nas), [aPlay(['b'])]).map(({ name }) => name)).toEqual(['b'])
  })
})
