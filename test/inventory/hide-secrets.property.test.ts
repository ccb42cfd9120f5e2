import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseYaml } from '../../src/inventory/parse.ts'
import { readFleet } from '../../src/inventory/read-fleet.ts'
import { sourceText } from '../../src/inventory/source-text.ts'
import { renderIssues } from '../../src/load/render-issues.ts'
import { noPaint } from '../../src/report/paint.ts'

/** What people type by mistake where a reference belongs, in the forms YAML has for it. */
const secret = fc.stringMatching(/^sk-[A-Za-z0-9_-]{8,24}$/u)
const place = fc.constantFrom(
  (key: string) => `          api_key: ${key}`,
  (key: string) => `          api_key: "${key}"`,
  (key: string) => `          api_key: '${key}' # the key`,
  (key: string) => `          api_key: |\n            ${key}\n            more`,
  (key: string) => `          api_key: >-\n            ${key}`,
  (key: string) => `          api_key:\n            ${key}`,
  (key: string) => `          api_key: { value: ${key} }`,
  (key: string) => `          api_key: { env: ${key}, file: x }`,
  (key: string) => `          api_key: [${key}]`,
  (key: string) => `          # api_key: ${key}\n          state: x`,
  (key: string) => `          state: x # was api_key: ${key}`,
  (key: string) => `          "api_key": ${key}`,
  (key: string) => `          apikey: ${key}`,
  (key: string) => `          extra_args: [--api-key, ${key}]`,
  (key: string) => `          extra_args:\n            - --api-key=${key}`,
  (key: string) => `          extra_args:\n            - "--hf-token"\n            - "${key}"`,
  (key: string) => `          env: { HF_TOKEN: ${key} }`,
  (key: string) => `          env:\n            LLAMA_API_KEY: "${key}"`,
)
/** Other mistakes around it, so that its lines get into the excerpts of those. */
const neighbour = fc.constantFrom(
  '',
  '          port: x',
  '          prot: 1',
  '          state: [',
  '         port: 1',
  '\t  port: 1',
  '          port: "9990',
  '          port: *none',
)

test('no message shows a key that stands in the file', async () => {
  await fc.assert(
    fc.asyncProperty(secret, place, neighbour, neighbour, async (key, write, before, after) => {
      const lines = [
        'all:',
        '  hosts:',
        '    nas:',
        '      services:',
        '        coder:',
        '          kind: A',
        before,
        write(key),
        after,
      ]
      const parsed = parseYaml(sourceText('hosts.yaml', `${lines.filter((line) => line !== '').join('\n')}\n`))
      const { fleet, issues } = readFleet({ path: 'house', folder: '', hosts: [parsed], vars: [] })
      expect(fleet).toBeUndefined()
      expect(JSON.stringify(issues)).not.toContain(key)
      expect(await renderIssues(issues, { paint: noPaint })).not.toContain(key)
    }),
    { numRuns: 1000 },
  )
})
