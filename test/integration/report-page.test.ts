import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Overview } from '../../src/model/overview.ts'
import { renderHtml } from '../../src/report/html.ts'
import { lookAs, looks, type OpenPage, openPage, startChromium } from '../support/chromium.ts'

// The page of each case of `test/fixtures/report/`, as a browser shows it.

const folder = join(import.meta.dirname, '../fixtures/report')
const pages = readdirSync(folder).filter((name) => name.endsWith('.html'))
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let browser: Browser
let tab: Page
beforeAll(async () => {
  browser = await startChromium()
  tab = await browser.newPage()
}, 60_000)
afterAll(() => browser?.close())

/** Everything that would prevent reading it, folded parts included. */
async function barriers(page: Page): Promise<readonly string[]> {
  await page.locator('details').evaluateAll((all) => {
    for (const one of all) one.setAttribute('open', '')
  })
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe)
  // What is in order is most of what it finds, and stays in the page.
  const violations: AxeResults['violations'] = await page.evaluate(
    "axe.run({ resultTypes: ['violations'] }).then((found) => found.violations)",
  )
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
}

// One page for all that is asked of it: to open it anew takes longer than to ask. Nothing in it acts, so that what was asked leaves no trace but
// the parts that were folded and no longer are, which come last.
describe.each(pages)('%s', (name) => {
  let open: OpenPage
  beforeAll(async () => {
    open = await openPage(tab, join(folder, name), looks.light)
  })
  afterAll(() => open?.[Symbol.dispose]())

  test('runs nothing, whatever was in a name', async () => {
    const acting = 'script, iframe, object, embed, img, form, base, link:not([rel=icon][href="data:,"])'
    expect(await open.page.locator(acting).evaluateAll((all) => all.map((one) => one.outerHTML))).toEqual([])
    const attributes = await open.page
      .locator('*')
      .evaluateAll((all) => [...new Set(all.flatMap((one) => one.getAttributeNames()))])
    expect(attributes.filter((one) => one.startsWith('on'))).toEqual([])
  })

  test('all that can be opened, followed or scrolled is reached with the keyboard, from the top to the end', async () => {
    const { page } = open
    const places = 'a[href], summary, [tabindex="0"]'
    const shown = await page.locator(places).evaluateAll((all) => all.filter((one) => one.checkVisibility()).length)
    const focused = await page.locator('html').evaluateHandle((root, selector) => {
      const all = [...root.querySelectorAll(selector)]
      const indexes: number[] = []
      root.addEventListener('focusin', ({ target }: { readonly target: unknown }) =>
        indexes.push(all.findIndex((one) => one === target)),
      )
      return indexes
    }, places)
    for (let step = 0; step < shown; step += 1) await page.keyboard.press('Tab')
    const reached = await focused.jsonValue()
    expect(new Set(reached).size, 'each once').toBe(shown)
    expect(reached).not.toContain(-1)
    expect(reached, 'in the order of reading').toEqual(reached.toSorted((a, b) => a - b))
  })

  test.each(Object.entries(looks))("%s: nothing stands in a reader's way, and nothing is asked of a network", async (_, look) => {
    await lookAs(open.page, look)
    expect(await barriers(open.page)).toEqual([])
    expect(open.complaints).toEqual([])
    expect(open.requests).toEqual([])
    const width = await open.page.locator('html').evaluate((page) => page.scrollWidth)
    expect(width, 'no page scrolls sideways').toBeLessThanOrEqual(look.width)
  })
})

test('a plan of three hosts is short on a phone', async () => {
  using open = await openPage(tab, join(folder, 'plan-full.html'), { ...looks.phone, width: 390 })
  expect(await open.page.locator('section h2').count()).toBe(4)
  expect(await open.page.locator('html').evaluate((page) => page.scrollHeight)).toBeLessThan(2500)
})

test('on paper everything is unfolded', async () => {
  using open = await openPage(tab, join(folder, 'plan-full.html'), looks.light)
  await open.page.emulateMedia({ media: 'print' })
  const hidden = await open.page
    .locator('details > :not(summary)')
    .evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().height === 0 && one.textContent?.trim() !== '').length)
  expect(hidden).toBe(0)
})

test('how the past went can be heard as well as seen', async () => {
  using open = await openPage(tab, join(folder, 'drift.html'), looks.light)
  const chart = open.page.getByRole('img', { name: /Findings of the last 12 comparisons/ })
  expect(await chart.isVisible()).toBe(true)
  await open.page.getByText('the numbers').click()
  const rows = open.page.getByRole('region', { name: 'Findings by run' }).getByRole('row')
  expect(await rows.count()).toBe(13)
  const { width } = (await chart.boundingBox()) ?? { width: 0 }
  expect(width).toBeGreaterThan(500)
})

describe('a page that a schedule writes', () => {
  const overview: Overview = { verb: 'status', headline: '3 of 3 ok', tone: 'good', version: '1', issues: [], hosts: [] }

  test.each([
    ['new', 20, /^Written 2\d s ago\. It is written every 5m/, 'soft', /^converge status/],
    ['old', 3 * 3600, /^Old: written 3 h ago\./, 'bad', /^OLD: converge status/],
  ])('says that it is %s', async (name, ageS, words, tone, title) => {
    const place = await mkdtemp(join(tmpdir(), 'converge-page-'))
    const file = join(place, `${name}.html`)
    await writeFile(
      file,
      renderHtml(overview, { refresh: { everyS: 300, at: new Date(Date.now() - ageS * 1000).toISOString() } }),
    )
    using open = await openPage(tab, file, looks.light)
    expect(await open.page.locator('#age').textContent()).toMatch(words)
    expect(await open.page.locator('#age').getAttribute('class')).toBe(tone)
    expect(await open.page.title()).toMatch(title)
    expect(open.complaints).toEqual([])
    await rm(place, { recursive: true })
  })
})
