import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { keyed } from './in-tests.ts'
import { writeKindBModel } from './model.ts'
import { runDouble, startDouble } from './start-double.ts'

describe('arguments', () => {
  it.each([
    [['serve', '--no-browser'], 2, 'unrecognized arguments: --no-browser'],
    [['serve', '--port', 'abc'], 2, 'invalid int value'],
    [['serve', '--ram', '1.5'], 2, 'invalid int value'],
    [['--port', '1', 'serve'], 2, 'error:'],
    [['serve'], 1, 'no model directory given.'],
    [['--model', '/tmp', 'serve'], 1, 'no model directory given.'],
    [['serve', '--model', '/nowhere'], 1, 'model not found: /nowhere'],
    [['serve', '--model', '/dev'], 1, 'tokenizer.json is missing from /dev'],
  ])('%j ends with status %i', async (args, exitCode, message) => {
    const result = await runDouble(args)
    expect(result).toMatchObject({ exitCode, stdout: '' })
    expect(result.stderr).toContain(message)
  })

  it('knows --no-browser where a knob makes it the program of the spec', async () => {
    await using double = await keyed({ KINDB_SPEC_FLAGS: '1' }, ['--no-browser'])
    expect((await double.ask('/health')).status).toBe(200)
  })

  it('lists its flags in the help and prints its version', async () => {
    const help = await runDouble(['serve', '--help'])
    expect(help.exitCode).toBe(0)
    for (const flag of ['--model-id', '--ctx', '--ram', '--allowed-host', '--kv-slots']) expect(help.stdout).toContain(flag)
    expect(help.stdout).not.toContain('--no-browser')
    expect(await runDouble(['--version'])).toMatchObject({ exitCode: 0, stdout: 'colibri 1.7.0\n' })
  })

  it.each([
    ['--kv-slots', '17', 'glm currently supports at most 16 KV slot(s)'],
    ['--kv-slots', '0', 'ValueError'],
    ['--host', '127.0.0.2', 'refusing to bind 127.0.0.2 beyond localhost without SRV_API_KEY'],
  ])('%s %s ends with status 1', async (flag, value, message) => {
    await using double = await startDouble({ flags: [flag, value] })
    expect(await double.exit).toEqual({ code: 1, signal: null })
    expect(double.stderr()).toContain(message)
  })

  it('ends with status 1 when the port is taken, before the engine starts', async () => {
    await using first = await keyed()
    await using second = await startDouble({ flags: ['--port', String(first.port)] })
    expect(await second.exit).toEqual({ code: 1, signal: null })
    expect(second.stderr()).toContain('Address already in use')
    expect(second.stderr()).not.toContain('[RAM_GB')
  })

  it.each([
    ['{', 'invalid config.json'],
    ['{}', 'no non-empty string model_type'],
    ['{"model_type":"llama"}', 'unsupported model_type: llama'],
  ])('refuses a model with the config %s', async (config, message) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'kindb-'))
    await writeKindBModel(folder.path)
    await writeFile(join(folder.path, 'config.json'), config)
    const result = await runDouble(['serve', '--model', folder.path])
    expect(result.exitCode).toBe(1)
    expect(result.stderr).toContain(message)
  })
})
