import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { execa } from 'execa'
import { parse } from 'yaml'
import { version } from '../../src/context/version.ts'
import { releaseDouble } from './release-double.ts'

const root = join(import.meta.dirname, '../..')

interface Step {
  readonly name: string
  readonly id?: string
  readonly if?: string
  readonly shell: string
  readonly env?: Readonly<Record<string, string>>
  readonly run: string
}

interface ActionFile {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>
  readonly outputs: Readonly<Record<string, { readonly value: string }>>
  readonly runs: { readonly steps: readonly Step[] }
}

interface GitHubAccount {
  readonly id: number
  readonly login: string
  readonly type: 'Bot' | 'User'
}

/** Whose token the job has. */
const actionsBot: GitHubAccount = { id: 41, login: 'github-actions[bot]', type: 'Bot' }
/** Whose token an input may be, and who that is. Of an app, GitHub says nothing. */
const otherTokens: Readonly<Record<string, { readonly account: GitHubAccount; readonly says: boolean }>> = {
  'Bearer per5on': { account: { id: 42, login: 'op', type: 'User' }, says: true },
  'Bearer 4pp': { account: { id: 43, login: 'fleet-app[bot]', type: 'Bot' }, says: false },
}

export interface GitHubComment {
  readonly id: number
  readonly user: GitHubAccount
  body: string
}

/** What of GitHub the action needs: a pull request with comments, and the files of a job. */
export interface GitHubJob extends AsyncDisposable {
  readonly comments: GitHubComment[]
  /** Status codes that the next requests get instead of an answer. */
  readonly refusals: number[]
  /** The files of the release of this version, by name. */
  readonly release: Map<string, Buffer>
  /** Programs that lie in the temporary folder of a job when it starts, by their path in it. */
  readonly temporary: Map<string, string>
  /** The workspace: what the job has checked out. */
  readonly folder: string
  run(inputs: Readonly<Record<string, string>>, env?: Readonly<Record<string, string>>): Promise<JobEnd>
}

export interface JobEnd {
  readonly code: number
  readonly log: string
  readonly summary: string
  readonly outputs: Readonly<Record<string, string>>
}

/** Runs the steps of `action.yml` as a runner does. */
export async function openGitHubJob(): Promise<GitHubJob> {
  const folder = await mkdtemp(join(tmpdir(), 'github-job-'))
  const workspace = join(folder, 'workspace')
  await mkdir(workspace)
  const comments: GitHubComment[] = []
  const refusals: number[] = []
  const release = await releaseDouble(version)
  const temporary = new Map<string, string>()
  const answered = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '' } = request
    const file = release.get(url.replace('/downloads/', ''))
    if (file !== undefined) return response.end(file)
    const body = await text(request)
    const { authorization = '' } = request.headers
    const { account, says } = otherTokens[authorization] ?? { account: actionsBot, says: false }
    const refusal = authorization === 'Bearer t0ken' || account !== actionsBot ? refusals.shift() : 401
    const answer = (status: number, value: unknown) => response.writeHead(status).end(JSON.stringify(value))
    if (refusal !== undefined) return answer(refusal, { message: 'no' })
    if (url === '/user') return says ? answer(200, account) : answer(403, { message: 'Resource not accessible by integration' })
    const path = url.replace(/^\/repos\/example\/fleet/, '')
    const page = Number(/[?&]page=(\d+)/.exec(path)?.[1] ?? 1)
    if (method === 'GET' && path.startsWith('/issues/7/comments?'))
      return answer(200, comments.slice(100 * (page - 1), 100 * page))
    if (method === 'POST' && path === '/issues/7/comments') {
      comments.push({ id: comments.length + 1, user: account, ...JSON.parse(body) })
      return answer(201, comments.at(-1))
    }
    const one = comments.find(({ id }) => method === 'PATCH' && path === `/issues/comments/${id}`)
    return one === undefined ? answer(404, {}) : answer(200, Object.assign(one, JSON.parse(body)))
  }
  const server = createServer((request, response) => void answered(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    comments,
    refusals,
    release,
    temporary,
    folder: workspace,
    run: async (inputs, env = {}) => {
      const files = {
        GITHUB_OUTPUT: join(folder, 'output'),
        GITHUB_STEP_SUMMARY: join(folder, 'summary'),
        GITHUB_EVENT_PATH: join(folder, 'event'),
      }
      for (const file of Object.values(files)) await writeFile(file, '')
      await writeFile(files.GITHUB_EVENT_PATH, JSON.stringify({ pull_request: { number: 7 } }))
      // Each job has its own.
      const temp = await mkdtemp(join(folder, 'temp-'))
      for (const [path, content] of temporary) {
        await mkdir(dirname(join(temp, path)), { recursive: true })
        await writeFile(join(temp, path), content, { mode: 0o755 })
      }
      const github = {
        ...files,
        GITHUB_ACTIONS: 'true',
        GITHUB_ACTION_PATH: root,
        GITHUB_API_URL: `http://127.0.0.1:${port}`,
        GITHUB_REPOSITORY: 'example/fleet',
        GITHUB_WORKSPACE: workspace,
        CONVERGE_DOWNLOADS: `http://127.0.0.1:${port}/downloads`,
        RUNNER_TEMP: temp,
      }
      return runSteps({
        folder: workspace,
        inputs,
        env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...github, ...env },
        files,
      })
    },
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

interface Job {
  readonly folder: string
  readonly inputs: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string>>
  readonly files: { readonly GITHUB_OUTPUT: string; readonly GITHUB_STEP_SUMMARY: string }
}

async function runSteps({ folder, inputs, env, files }: Job): Promise<JobEnd> {
  const action = parse(await readFile(join(root, 'action.yml'), 'utf8')) as ActionFile
  const known = new Map<string, string>([['github.token', 't0ken']])
  for (const [name, { default: value }] of Object.entries(action.inputs))
    known.set(`inputs.${name}`, inputs[name] ?? filled(value ?? '', known))
  let log = ''
  let code = 0
  for (const step of action.runs.steps) {
    if (code !== 0 || (step.if !== undefined && filled(step.if, known) !== 'true')) continue
    const given = Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(value, known)])
    const ended = await execa('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
      cwd: folder,
      env: { ...env, ...Object.fromEntries(given) },
      extendEnv: false,
      reject: false,
      all: true,
      stdin: 'ignore',
    })
    log += `## ${step.name}\n${ended.all}\n`
    code = ended.exitCode ?? -1
    for (const line of (await readFile(files.GITHUB_OUTPUT, 'utf8')).split('\n')) {
      const at = line.indexOf('=')
      if (at > 0) known.set(`steps.${step.id}.outputs.${line.slice(0, at)}`, line.slice(at + 1))
    }
    await writeFile(files.GITHUB_OUTPUT, '')
  }
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, filled(value, known)])
  return { code, log, summary: await readFile(files.GITHUB_STEP_SUMMARY, 'utf8'), outputs: Object.fromEntries(outputs) }
}

/** Expressions of the kinds that the action uses: a name, or whether it is some text. */
function filled(value: string, known: ReadonlyMap<string, string>): string {
  return value.replaceAll(/\$\{\{ ([\w.-]+)(?: == '([^']*)')? \}\}/g, (_, name: string, wanted?: string) => {
    const is = known.get(name) ?? ''
    return wanted === undefined ? is : String(is === wanted)
  })
}
