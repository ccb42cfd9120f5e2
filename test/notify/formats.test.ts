import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { WebhookFormat } from '../../src/model/fleet.ts'
import { type Notification, placeholders } from '../../src/model/notification.ts'
import { encodedWords } from '../../src/notify/formats/encoded-words.ts'
import { formats } from '../../src/notify/formats/index.ts'
import { mailOf } from '../../src/notify/formats/mail.ts'
import type { Templates } from '../../src/notify/message.ts'
import { loadSchemas } from '../schemas/documents.ts'

const folder = join(import.meta.dirname, '../fixtures/notify')
const hostile: Notification = parse(readFileSync(join(folder, 'hostile.yaml'), 'utf8'))
const everything: Templates = {
  title: '{{inventory}}: {{counts}} @everyone',
  body: placeholders.map((name) => `${name}: {{${name}}}`).join('\n'),
}
const written: Readonly<Record<string, Templates>> = { '': {}, '-templates': everything }

const names: readonly WebhookFormat[] = ['generic', 'slack', 'discord', 'ntfy']

function textOf({ headers, body }: ReturnType<(typeof formats)['generic']>): string {
  if (headers['content-type'] === 'application/json') return `${JSON.stringify(JSON.parse(body), null, 2)}\n`
  return `${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')}\n${body}\n`
}

describe.each(Object.entries(written))('hostile names%s', (suffix, templates) => {
  test.each(names)('as %s takes them', async (name) => {
    const ending = name === 'ntfy' ? 'txt' : 'json'
    await expect(textOf(formats[name](hostile, templates))).toMatchFileSnapshot(
      join(folder, `hostile${suffix}.${name}.${ending}`),
    )
  })

  test('in a mail', async () => {
    const text = mailOf(hostile, templates, 'anna@example.org')
    const [head = '', body = ''] = text.split('\n\n')
    const plain = Buffer.from(body, 'base64').toString('utf8')
    await expect(`${head}\n\n${plain}`).toMatchFileSnapshot(join(folder, `hostile${suffix}.mail.txt`))
    for (const line of head.split('\n'))
      expect(line).toMatch(/^(?:To|Subject|Auto-Submitted|MIME-Version|Content-[\w-]+): |^ =\?/)
  })

  test('nothing hides, erases or turns what stands beside it', () => {
    const all = [...names.map((name) => textOf(formats[name](hostile, templates))), mailOf(hostile, templates, 'a@example.org')]
    // oxlint-disable-next-line no-control-regex -- it is what it is about
    for (const text of all) expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
  })
})

/** More than anything takes, of signs that take much room. */
const long: Notification = {
  ...hostile,
  changes: Array.from({ length: 5000 }, (_, number) => ({
    change: 'new',
    event: 'drift',
    host: `host-${number}`,
    service: 'coder',
    field: '🦙<&>'.repeat(20),
    text: '"\\*_'.repeat(60),
  })),
}

const sizes: Readonly<Record<WebhookFormat, (body: string) => number>> = {
  generic: (body) => Buffer.byteLength(body) / 1024 / 256,
  slack: (body) => JSON.parse(body).text.length / 3000,
  discord: (body) => JSON.parse(body).content.length / 2000,
  ntfy: (body) => Buffer.byteLength(body) / 4096,
}

describe('what is too long', () => {
  test.each(names)('is cut to what %s takes, and says how much more there is', (name) => {
    const { body } = formats[name](long, {})
    expect(sizes[name](body)).toBeLessThanOrEqual(1)
    expect(sizes[name](body)).toBeGreaterThan(0.3)
    expect(body).toMatch(/… and \d+ more/)
  })

  test.each(names)('by its template alone is cut for %s as well', (name) => {
    const { body } = formats[name](long, { title: '{{hosts}}'.repeat(50), body: '{{findings}} 🦙&amp;'.repeat(2000) })
    expect(sizes[name](body)).toBeLessThanOrEqual(1)
    expect(body).not.toContain('\ufffd')
  })

  test('is a quarter of a MiB in a mail', () => {
    const text = mailOf(long, {}, 'anna@example.org')
    expect(Buffer.byteLength(text) / 1024).toBeLessThanOrEqual(256)
    expect(Buffer.byteLength(text) / 1024).toBeGreaterThan(200)
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(78)
  })

  test('is no document that its schema does not know', () => {
    const validate = loadSchemas()('notification.schema.json')
    const faults = [hostile, long].map((one) => validate(JSON.parse(formats.generic(one, {}).body)) || validate.errors)
    expect(faults).toEqual([true, true])
  })
})

test.each([
  ['plain', 'plain'],
  ['two\r\nlines', 'two lines'],
  ['größer', '=?UTF-8?B?Z3LDtsOfZXI=?='],
  ['=?UTF-8?Q?forged?=', '=?UTF-8?B?PT9VVEYtOD9RP2ZvcmdlZD89?='],
])('%j is %s in a header', (text, header) => expect(encodedWords(text, ' ')).toBe(header))
