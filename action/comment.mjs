import { readFile } from 'node:fs/promises'

/**
 * Posts the summary on the pull request. Updates an existing comment, so that there is one however often the job runs.
 * Environment: `INPUT_VERB`, `INPUT_INVENTORY`, `INPUT_LIMIT`, `INPUT_TOKEN`, `JOB_TOKEN` (what GitHub gave to the job), `SUMMARY` (a file),
 * and the variables of GitHub.
 * Plain JavaScript, for the Node of the runner. Every failure is a warning: the findings do not depend on the comment.
 */

const env = (name) => process.env[name] ?? ''
const warn = (text) => void process.stdout.write(`::warning::converge: ${text}\n`)

/** An invisible marker that identifies the comment of these inputs. */
const marker = `<!-- converge ${JSON.stringify([env('INPUT_VERB'), env('INPUT_INVENTORY'), env('INPUT_LIMIT')]).replaceAll('--', '-\\u002d')} -->`

/** GitHub accepts 65,536 characters. */
const mostCharacters = 65_000
const mostPages = 50
const timeoutMs = 30_000

const repository = `repos/${env('GITHUB_REPOSITORY')}`

/** @returns the status, and the body as JSON where it is any */
async function ask(method, path, body) {
  const response = await fetch(`${env('GITHUB_API_URL')}/${path}`, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${env('INPUT_TOKEN')}`,
      'x-github-api-version': '2022-11-28',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    signal: AbortSignal.timeout(timeoutMs),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json().catch(() => undefined) }
}

function isComments(value) {
  return Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null && 'id' in one)
}

/**
 * Who wrote a comment of ours. Anyone can post our marker, and would keep the right to change what we write below it.
 * Only the token of a person can ask who it is; that of another app wrote as some bot.
 *
 * @returns a test of the `user` of a comment
 */
async function ourAccount() {
  if (env('INPUT_TOKEN') === env('JOB_TOKEN')) return (user) => user?.type === 'Bot' && user.login === 'github-actions[bot]'
  const { status, body } = await ask('GET', 'user')
  if (status === 200 && Number.isInteger(body?.id)) return (user) => user?.id === body.id
  return (user) => user?.type === 'Bot'
}

async function findComment(number) {
  const isOurs = await ourAccount()
  for (let page = 1; page <= mostPages; page += 1) {
    const { status, body } = await ask('GET', `${repository}/issues/${number}/comments?per_page=100&page=${page}`)
    if (status !== 200 || !isComments(body)) throw new Error(`the comments could not be read (${status})`)
    const found = body.find((one) => one.body?.startsWith(marker) && isOurs(one.user))
    if (found !== undefined || body.length < 100) return found
  }
  return undefined
}

/** Cuts between two lines, and closes a code block that is open there. */
function shortened(text) {
  if (text.length <= mostCharacters) return text
  const kept = text.slice(0, text.lastIndexOf('\n', mostCharacters))
  let open = ''
  for (const [, fence, rest] of kept.matchAll(/^ {0,3}(`{3,}|~{3,})(.*)$/gm)) {
    if (open === '') open = fence
    else if (fence.startsWith(open) && rest.trim() === '') open = ''
  }
  return `${kept}${open === '' ? '' : `\n${open}`}\n\nThis is too long for a comment. The summary of the step has the rest.\n`
}

/** The number of the pull request, if this job is of one. */
async function pullRequest() {
  const event = JSON.parse(await readFile(env('GITHUB_EVENT_PATH'), 'utf8'))
  return event?.pull_request?.number
}

async function comment() {
  const number = await pullRequest()
  if (number === undefined) return
  const limit = env('INPUT_LIMIT') === '' ? '' : `, ${env('INPUT_LIMIT')}`
  const title = `### converge ${env('INPUT_VERB')}: ${env('INPUT_INVENTORY')}${limit}`.replaceAll(/[`<>\r\n]/g, ' ')
  const summary = await readFile(env('SUMMARY'), 'utf8').catch(() => 'There is no summary; the log of the job says why.')
  const body = { body: shortened(`${marker}\n${title}\n\n${summary}`) }
  const before = await findComment(number)
  // Of a comment that was removed meanwhile, or that another bot wrote.
  const updated = before === undefined ? undefined : await ask('PATCH', `${repository}/issues/comments/${before.id}`, body)
  if (updated?.status === 200) return
  const { status } = await ask('POST', `${repository}/issues/${number}/comments`, body)
  if (status === 201) return
  const why =
    status === 403 ? 'the token may not write one; a pull request from a fork has no such token' : `GitHub answered ${status}`
  warn(`no comment was written: ${why}. The summary of the step has the same.`)
}

try {
  await comment()
} catch (error) {
  warn(`no comment was written: ${error instanceof Error ? error.message : String(error)}. The summary of the step has the same.`)
}
