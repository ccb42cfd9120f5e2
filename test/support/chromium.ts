import { pathToFileURL } from 'node:url'
import { type Browser, type ConsoleMessage, chromium, type Page, type Request } from 'playwright-core'

/** Debian's. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell' })
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
export interface OpenPage extends Disposable {
  readonly page: Page
  readonly requests: readonly string[]
  readonly complaints: readonly string[]
}

/** The same page, with other settings. */
export async function lookAs(page: Page, { colorScheme, width, height }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme, media: 'screen' })
  await page.setViewportSize({ width, height })
}

/** In a tab that shows one file after the other: for each new one, Chromium starts a process and reads all scripts anew, which is most of the work. */
export async function openPage(page: Page, file: string, look: Look): Promise<OpenPage> {
  const requests: string[] = []
  const complaints: string[] = []
  const own = pathToFileURL(file).href
  const onRequest = (one: Request) => {
    if (one.url() !== own && !one.url().startsWith('data:')) requests.push(one.url())
  }
  const onConsole = (one: ConsoleMessage) => complaints.push(one.text())
  const onError = (error: Error) => complaints.push(error.message)
  await lookAs(page, look)
  page.on('request', onRequest).on('console', onConsole).on('pageerror', onError)
  await page.goto(own)
  return {
    page,
    requests,
    complaints,
    [Symbol.dispose]: () => {
      page.off('request', onRequest).off('console', onConsole).off('pageerror', onError)
    },
  }
}
