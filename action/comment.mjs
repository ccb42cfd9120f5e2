import { readFile } from 'node:fs/promises'

/**
 * Posts the summary on the pull request. Updates an existing comment, so that there is one however often the job runs.
 * Environment: `INPUT_VERB`, `INPUT_INVENTORY`, `INPUT_LIMIT`, `INPUT_TOKEN`, `SUMMARY` (a file), and the variables of GitHub.
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

/** @returns the status, and the body as JSON where it is any */
async function ask(method, path, body) {
  const response = await fetch(`${env('GITHUB_API_URL')}/repos/${env('GITHUB_REPOSITORY')}/${path}`, {
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

async function findComment(number) {
  for (let page = 1; page <= mostPages; page += 1) {
    const { status, body } = await ask('GET', `issues/${number}/comments?per_page=100&page=${page}`)
    if (status !== 200 || !isComments(body)) throw new Error(`the comments could not be read (${status})`)
    const found = body.find((one) => one.body?.startsWith(marker))
    if (found !== undefined || body.length < 100) return found
  }
  return undefined
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
  const body = { body: `${marker}\n${title}\n\n${summary}`.slice(0, mostCharacters) }
  const before = await findComment(number)
  // Another account may have posted a comment with our marker.
  const updated = before === undefined ? undefined : await ask('PATCH', `issues/comments/${before.id}`, body)
  if (updated?.status === 200) return
  const { status } = await ask('POST', `issues/${number}/comments`, body)
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
