import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Section } from '../../src/facts/fact.ts'
import type { FactQuestion } from '../../src/facts/question.ts'

const folder = join(import.meta.dirname, '../fixtures/facts')

interface CaseFile {
  readonly about: string
  readonly question?: Partial<FactQuestion>
  readonly status?: number
  readonly stderr?: string
  readonly text: readonly string[]
  readonly fact: unknown
}

export interface FactCase {
  readonly file: string
  readonly about: string
  readonly section: Section
  readonly asked: Partial<FactQuestion>
  readonly expected: unknown
}

/** The cases of one fact: `test/fixtures/facts/<fact>/*.json`. There must be some. */
export function readFactCases(fact: string): readonly FactCase[] {
  return readdirSync(join(folder, fact)).map((file) => {
    const { about, question = {}, status = 0, stderr = '', text, fact: expected } = readCase(join(folder, fact, file))
    const section = { status, stderr, text: text.map((line) => `${line}\n`).join('') }
    return { file, about, section, asked: question, expected }
  })
}

function readCase(path: string): CaseFile {
  const parsed: CaseFile = JSON.parse(readFileSync(path, 'utf8'))
  return parsed
}
