import { sha256 } from '../lib/digest.ts'
import { duration } from './duration.ts'
import type { PageRefresh } from './extras.ts'
import { html, type Markup } from './markup.ts'

/** Seconds: often enough to be new, seldom enough to read. */
const [soonest, latest] = [30, 300]
/** A page that was not written for this many intervals is old. */
const missed = 2

/**
 * The only script of any page, and only of those that are written again and again: how old the page is, which nothing else in it can know. Without
 * scripts, the times stay readable.
 */
const script = `
const age = document.getElementById('age'), every = age.dataset.every * 1000, title = document.title
const words = (ms) => ms < 9e4 ? Math.max(0, Math.round(ms / 1e3)) + ' s' : ms < 54e5 ? Math.round(ms / 6e4) + ' min' : ms < 1728e5 ? Math.round(ms / 36e5) + ' h' : Math.round(ms / 864e5) + ' days'
function show() {
  const ms = Date.now() - Date.parse(age.dataset.at), old = ms > every * ${missed}
  age.firstElementChild.textContent = (old ? 'Old: written ' : 'Written ') + words(ms) + ' ago.'
  age.className = old ? 'bad' : 'soft'
  document.title = (old ? 'OLD: ' : '') + title
}
show()
setInterval(show, 5000)
`

/** For the head of the page: it reloads itself, and runs no other script. */
export function refreshHead(refresh: PageRefresh | undefined): string {
  if (refresh === undefined) return ''
  const hash = Buffer.from(sha256(script), 'hex').toString('base64')
  const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-${hash}'`
  const seconds = Math.min(latest, Math.max(soonest, Math.round(refresh.everyS / 5)))
  return `<meta http-equiv="Content-Security-Policy" content="${policy}">\n<meta http-equiv="refresh" content="${seconds}">\n`
}

export function ageLine(refresh: PageRefresh | undefined): Markup | '' {
  if (refresh === undefined) return ''
  const { everyS, at } = refresh
  const due = new Date(Date.parse(at) + everyS * 1000).toISOString()
  return html`
<p id="age" class="soft" data-at="${at}" data-every="${everyS}"><b>Written at ${clock(at)}.</b> It is written every ${duration(everyS * 1000)}, next at ${clock(due)}. If it is older, look at the log of the schedule.</p>`
}

/** At the end of the page: it needs what is before it. */
export function ageScript(refresh: PageRefresh | undefined): string {
  return refresh === undefined ? '' : `<script>${script}</script>\n`
}

function clock(at: string): string {
  return at.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ' UTC')
}
