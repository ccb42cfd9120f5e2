import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'

/** Debian's. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: '/usr/bin/chromium' })
}

export interface Look {
  readonly colorScheme: 'light' | 'dark'
  readonly width: number
  readonly height: number
}

/** How people look at a page. */
export const looks = {
  light: { colorScheme: 'light', width: 1100, height: 900 },
  dark: { colorScheme: 'dark', width: 1100, height: 900 },
  phone: { colorScheme: 'light', width: 360, height: 740 },
} as const satisfies Readonly<Record<string, Look>>

/** A page that is open, and all it asked for or complained about. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page
  readonly requests: readonly string[]
  readonly complaints: readonly string[]
}

/** The same page, with other settings. */
export async function lookAs(page: Page, { colorScheme, width, height }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize({ width, height })
}

export async function openPage(browser: Browser, file: string, { colorScheme, width, height }: Look): Promise<OpenPage> {
  const page = await browser.newPage({ colorScheme, viewport: { width, height } })
  const requests: string[] = []
  const complaints: string[] = []
  const own = pathToFileURL(file).href
  page.on('request', (one) => {
    if (one.url() !== own && !one.url().startsWith('data:')) requests.push(one.url())
  })
  page.on('console', (one) => complaints.push(one.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(own)
  return { page, requests, complaints, [Symbol.asyncDispose]: () => page.close() }
}
