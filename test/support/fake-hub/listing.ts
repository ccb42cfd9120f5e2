import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FakeRepo } from '../fake-hub.ts'
import { type FakeFile, listed } from './file.ts'

export interface Shelf {
  readonly repos: Readonly<Record<string, FakeRepo>>
  /** By repository and path. */
  readonly files: ReadonlyMap<string, FakeFile>
}

/** The commit of a branch, a tag or a commit, or the code of the error that there is none. */
export function commitOf({ repos }: Shelf, repo: string, revision: string): { readonly sha: string } | { readonly code: string } {
  const { at } = repos[repo] ?? {}
  if (at === undefined) return { code: 'RepoNotFound' }
  const sha = at[revision] ?? Object.values(at).find((one) => one === revision)
  return sha === undefined ? { code: 'RevisionNotFound' } : { sha }
}

/** `GET /api/models/R/revision/REV`, `…/tree/REV` and `…/commits/REV`. @param page so many files at a time */
export function answerListing(
  { url = '', headers }: IncomingMessage,
  response: ServerResponse,
  shelf: Shelf,
  page: number,
): void {
  const { pathname, searchParams } = new URL(url, 'http://hub')
  const [, repo = '', what, revision = ''] =
    /^\/api\/models\/([^/]+\/[^/]+)\/(revision|tree|commits)\/([^/]+)$/.exec(pathname) ?? []
  const commit = commitOf(shelf, repo, decodeURIComponent(revision))
  const files = Object.entries(shelf.repos[repo]?.files ?? {})
  if ('code' in commit) response.writeHead(404, { 'x-error-code': commit.code }).end('{"error":"not found"}')
  else if (what === 'revision')
    json(response, { id: repo, sha: commit.sha, siblings: files.map(([rfilename]) => ({ rfilename })) })
  else {
    const from = Number(searchParams.get('cursor') ?? 0)
    const { history = [] } = shelf.repos[repo] ?? {}
    const entries =
      what === 'commits'
        ? history.slice(history.indexOf(commit.sha)).map((id) => ({ id, title: 'a title', authors: [] }))
        : [
            { type: 'directory', path: 'a-folder', size: 0, oid: '0'.repeat(40) },
            ...files.map(([path, entry]) => listed(path, entry, shelf.files.get(`${repo}/${path}`))),
          ]
    const next = `<http://${headers.host}${pathname}?recursive=true&cursor=${from + page}>; rel="next"`
    json(response, entries.slice(from, from + page), entries.length > from + page ? { link: next } : {})
  }
}

function json(response: ServerResponse, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
