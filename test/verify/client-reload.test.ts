import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { endpointFormats } from '../../src/endpoints/formats/index.ts'
import { Secret } from '../../src/model/secret.ts'
import { checkClient } from '../../src/verify/client-reload.ts'
import { startKindA } from '../support/model-servers.ts'

const client = join(import.meta.dirname, '../support/client-double.ts')

describe('a client that reads a list of endpoints', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'converge-client-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  function listOf(port: number): string {
    const key = { reference: { env: 'CODER_KEY' }, variable: 'CODER_KEY', value: new Secret('right', 'a test') }
    const endpoint = {
      host: 'nas',
      service: 'coder',
      model: 'coder',
      baseUrl: `http://127.0.0.1:${port}/v1`,
      prefix: 'CODER_NAS',
      key,
    }
    const file = join(folder, 'list.json')
    const text = endpointFormats.json.write([endpoint], []).map((piece) => (piece instanceof Secret ? piece.reveal() : piece))
    writeFileSync(file, text.join(''))
    return file
  }

  it('passes the smoke test while it reaches the model, and fails it with its badge', async () => {
    const server = await startKindA({ key: 'right', alias: 'coder' })
    const argv = [process.execPath, client, listOf(server.port), '--once']
    expect(await checkClient(argv, 'coder', undefined)).toEqual({ ok: true, detail: 'the client shows coder' })
    expect(await checkClient(argv, 'writer', undefined)).toMatchObject({ ok: false })
    await server[Symbol.asyncDispose]()
    expect(await checkClient(argv, 'coder', undefined)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('coder (offline)'),
    })
  })

  it('shows the badge while the server is loading, and loses it', async () => {
    await using server = await startKindA({ key: 'right', alias: 'coder', loading: true })
    const child = spawn(process.execPath, [client, listOf(server.port)], { stdio: ['ignore', 'pipe', 'inherit'] })
    let seen = ''
    child.stdout.on('data', (chunk: Buffer) => (seen += chunk.toString()))
    await expect.poll(() => seen).toBe('models:\n  coder (offline)\n')
    server.becomeReady()
    await expect.poll(() => seen).toBe('models:\n  coder (offline)\nmodels:\n  coder\n')
    child.kill()
  })
})
