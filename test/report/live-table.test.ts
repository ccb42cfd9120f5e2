import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { shownLine } from '../../src/lib/visible-text.ts'
import { widthOf } from '../../src/report/fit-text.ts'
import { lineLayout, liveLines } from '../../src/report/live-lines.ts'
import { type LiveLook, liveDocument } from '../../src/report/live-status.ts'
import { type LiveView, liveFrame, serviceAt, serviceCount } from '../../src/report/live-table.ts'
import { noPaint } from '../../src/report/paint.ts'
import { aLiveHost, aLiveService, aLook, manyServices } from '../support/live-looks.ts'

const how = { paint: noPaint, show: shownLine, inventory: 'inventories/home', time: (at: string) => at.slice(11, 19) }
const view: LiveView = { columns: 80, rows: 24, selected: 0, top: 0, help: false, notice: '' }

function screen(look: LiveLook, given: Partial<LiveView> = {}): readonly string[] {
  return liveFrame(look, { ...view, ...given }, how).lines
}

describe('the live table', () => {
  it.each([80, 140])('at %i columns', async (columns) => {
    const lines = screen(aLook(), { columns, rows: 18, selected: 1 })
    await expect(`${lines.map((line) => line.trimEnd()).join('\n')}\n`).toMatchFileSnapshot(
      join(import.meta.dirname, `../fixtures/live/table.${columns}.txt`),
    )
  })

  it('explains its keys and columns', async () => {
    const lines = screen(aLook(), { rows: 20, help: true, columns: 100 })
    await expect(`${lines.map((line) => line.trimEnd()).join('\n')}\n`).toMatchFileSnapshot(
      join(import.meta.dirname, '../fixtures/live/help.txt'),
    )
  })

  it.each([
    [20, 5],
    [40, 10],
    [61, 24],
    [80, 24],
    [97, 50],
    [140, 40],
    [300, 12],
  ])('fits a terminal of %i columns and %i rows', (columns, rows) => {
    for (const look of [aLook(), manyServices(3, 1), manyServices(30, 10), { at: aLook().at, hosts: [] }])
      for (const help of [true, false]) {
        const lines = screen(look, { columns, rows, help, notice: '\u001b[2J a notice '.repeat(20) })
        expect(lines.length).toBeLessThanOrEqual(rows)
        // oxlint-disable-next-line no-control-regex -- they are what it is about
        expect(lines.join('')).not.toMatch(/[\u0000-\u001f]/)
        // A table has a least width; the terminal does not wrap it.
        expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(Math.max(columns, 40))
      }
  })

  it('always shows the selected service and its host', () => {
    const look = manyServices(30, 10)
    expect(serviceCount(look)).toBe(300)
    let top = 0
    const walk = [0, 1, 9, 10, 150, 299, 298, 240, 11, 10, 0, 299]
    for (const selected of walk) {
      const frame = liveFrame(look, { ...view, selected, top }, how)
      top = frame.top
      const at = frame.lines.findIndex((line) => line.startsWith('› '))
      const service = serviceAt(look, selected)
      expect(frame.lines[at]).toContain(` ${service?.service} `)
      const host = frame.lines.slice(0, at).findLast((line) => line.startsWith('host'))
      expect(host).toContain(`${service?.host}  `)
      expect(frame.lines.at(-1)).toContain(`${selected + 1} of 300`)
    }
  })

  it('scrolls no further than needed', () => {
    const look = manyServices(30, 10)
    const { top } = liveFrame(look, { ...view, selected: 40 }, how)
    expect(liveFrame(look, { ...view, selected: 39, top }, how).top).toBe(top)
  })
})

describe('lines for a pipe', () => {
  const look = aLook()
  const layout = lineLayout(look, shownLine)
  const lines = (next: LiveLook, before?: LiveLook) => liveLines(next, before, layout, shownLine)

  it('are all services at first', async () => {
    await expect(`${lines(look).join('\n')}\n`).toMatchFileSnapshot(join(import.meta.dirname, '../fixtures/live/lines.txt'))
  })

  it('are none where only figures change', () => {
    const busier = look.hosts.map((host) => ({
      ...host,
      services: host.services.map((one) => ({ ...one, busy: 4, tokensPerS: 9, residentBytes: 5, upS: 1 })),
    }))
    expect(lines({ ...look, hosts: busier }, look)).toEqual([])
  })

  it('are those of services that changed', () => {
    const [first, ...rest] = look.hosts
    const hosts = [aLiveHost({ services: [aLiveService({ health: 'loading' }), ...(first?.services.slice(1) ?? [])] }), ...rest]
    const at = '2026-11-26T12:00:03.000Z'
    expect(lines({ at, hosts }, look)).toEqual([expect.stringMatching(/^2026-11-26T12:00:03Z {2}mini {2}coder +loading/)])
  })

  it('say once that a host is lost, and all of it when it is back', () => {
    const fine = { ...look, hosts: [aLiveHost({ host: 'nas', services: [aLiveService({ host: 'nas' })] })] }
    const lost = { ...look, hosts: look.hosts.slice(1, 2) }
    expect(lines(lost, fine)).toEqual([expect.stringMatching(/nas +- +unreachable .*Nothing listens/)])
    expect(lines(lost, lost)).toEqual([])
    expect(lines(fine, lost)).toEqual([expect.stringMatching(/nas +coder +ready/)])
  })
})

it('a document has all services in one list, as without --watch', () => {
  const { schema, services, hosts } = liveDocument(aLook())
  expect(schema).toBe('converge/status/v1')
  expect(services).toHaveLength(7)
  expect(hosts.map((host) => Object.keys(host))).toEqual(
    Array.from({ length: 3 }, () => ['host', 'seenAt', 'problem', 'nextTryAt', 'usedBytes', 'totalBytes']),
  )
})
