import { expect, it } from 'vitest'
import type { Overview } from '../../src/model/overview.ts'
import { renderHtml } from '../../src/report/html.ts'

const overview: Overview = { verb: 'status', headline: '3 of 3 ok', tone: 'good', version: '1', issues: [], hosts: [] }
const at = '2026-11-26T12:00:00.000Z'

it('a page that is written once has no script and stays as it is', () => {
  expect(renderHtml(overview)).not.toMatch(/<script|http-equiv/)
})

it.each([
  [60, 30],
  [300, 60],
  [3600, 300],
  [86_400, 300],
])('a page that is written every %i s reloads itself every %i s', (everyS, seconds) => {
  const page = renderHtml(overview, { refresh: { everyS, at } })
  expect(page).toContain(`<meta http-equiv="refresh" content="${seconds}">`)
  expect(page.match(/<script>/g)).toHaveLength(1)
})

it('the times can be read without scripts', () => {
  const page = renderHtml(overview, { refresh: { everyS: 300, at } })
  expect(page).toContain('<b>Written at 2026-11-26 12:00:00 UTC.</b> It is written every 5m, next at 2026-11-26 12:05:00 UTC.')
})
