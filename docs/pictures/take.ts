import { join } from 'node:path'
import { looks, openPage, startChromium } from '../../test/support/chromium.ts'

// The pictures of the documentation, taken anew: `npm run pictures`. They show cases of the tests, as Debian's Chromium draws them.

const pages = join(import.meta.dirname, '../../test/fixtures/report')

const pictures = [
  { name: 'drift-light', page: 'drift.html', look: looks.light },
  { name: 'drift-dark', page: 'drift.html', look: looks.dark },
  { name: 'drift-phone', page: 'drift.html', look: { ...looks.phone, height: 900 } },
  { name: 'apply-light', page: 'report-apply.html', look: looks.light },
] as const

const browser = await startChromium()
try {
  const tab = await browser.newPage()
  for (const { name, page: file, look } of pictures) {
    using open = await openPage(tab, join(pages, file), look)
    await open.page.screenshot({ path: join(import.meta.dirname, `${name}.png`) })
  }
} finally {
  await browser.close()
}
