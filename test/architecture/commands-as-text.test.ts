import { expect, test } from 'vitest'
import { commandsAsText } from './commands-as-text.ts'
import { sourceFile } from './source-file.ts'

const found = (text: string) => commandsAsText([sourceFile('src/x.ts', text)])

test.each([
  "next: ['converge plan']",
  // oxlint-disable-next-line no-template-curly-in-string -- it is source
  'next: [`converge plan --limit ${host}`]',
  "next: ['Plan again:  converge plan']",
  "next: ['converge hosts    lists the hosts']",
])('%s is a command as text', (text) => expect(found(text)).toHaveLength(1))

test.each([
  "why: 'The next `converge apply` does it.'",
  "next: [converge(['plan'])]",
  '// converge plan',
  "'was written by converge plan'",
])('%s is none', (text) => expect(found(text)).toEqual([]))
