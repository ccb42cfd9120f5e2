import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { catalogue } from '../../src/errors/catalogue.ts'
import { ConvergeError } from '../../src/errors/converge-error.ts'
import { stableJson } from '../../src/lib/stable-json.ts'
import { loadPlaybook } from '../../src/load/load.ts'
import { whyText } from '../support/why-text.ts'

describe('playbooks that are valid', () => {
  test.each([...playbooksIn('valid'), { name: 'site', path: 'playbooks/site.yaml' }])('$name', async ({ name, path }) => {
    const { plays, warnings } = await loadPlaybook(path)
    expect(warnings).toEqual([])
    await expect(`${stableJson(plays, 2)}\n`).toMatchFileSnapshot(resolve('test/fixtures/playbook/valid', `${name}.json`))
  })
})

describe('playbooks with a former name', () => {
  test.each(playbooksIn('deprecated'))('$name', async ({ name, path }) => {
    const { plays, warnings } = await loadPlaybook(path)
    const shown = `${warnings.map(({ code, message }) => `${code}  ${message}\n`).join('')}${stableJson(plays, 2)}\n`
    await expect(shown).toMatchFileSnapshot(resolve('test/fixtures/playbook/deprecated', `${name}.txt`))
  })
})

describe('playbooks that are not valid', () => {
  test.each([...playbooksIn('invalid'), { name: 'no-such-file', path: 'test/fixtures/playbook/no-such-file.yaml' }])(
    '$name',
    async ({ name, path }) => {
      const error = await failureOf(path)
      const shown = `${error.code} (exit ${catalogue[error.code].exit})  ${error.summary}\n${await whyText(error)}\n${error.next.join('\n')}\n`
      await expect(shown).toMatchFileSnapshot(resolve('test/fixtures/playbook/invalid', `${name}.txt`))
    },
  )

  test('a folder is no playbook', async () => {
    expect((await failureOf('playbooks')).code).toBe('PLAYBOOK.INVALID')
  })
})

function playbooksIn(folder: string) {
  const root = join('test/fixtures/playbook', folder)
  return readdirSync(root)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => ({ name: file.replace('.yaml', ''), path: join(root, file) }))
}

async function failureOf(path: string): Promise<ConvergeError> {
  try {
    await loadPlaybook(path)
  } catch (error) {
    if (error instanceof ConvergeError) return error
    throw error
  }
  throw new Error(`${path} is valid`)
}
