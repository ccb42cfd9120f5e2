import { exitCodes, worstOf } from '../../src/context/exit-code.ts'
import { exitCodeWords } from '../../src/context/exit-code-words.ts'
import { sentence } from '../../src/lib/sentence.ts'
import { code, type Page, prose, table } from './markdown.ts'

export function exitCodesPage(): Page {
  const byNumber = Object.entries(exitCodeWords)
    .map(([name, words]) => ({ number: numberOf(name), ...words }))
    .toSorted((a, b) => a.number - b.number)
  const first = Object.values(exitCodes).toSorted((a, b) => (worstOf([a, b]) === a ? -1 : 1))
  return {
    title: 'Exit codes',
    about: 'How a command ends, for scripts and CI.',
    blocks: [
      table(
        ['Exit code', 'In short', 'Meaning'],
        byNumber.map(({ number, title, explain }) => [code(String(number)), prose(sentence(title)), prose(explain)]),
      ),
      '## Several at once',
      `If several hold, converge ends with the first of these: ${first.map((one) => code(String(one))).join(', ')}.`,
      '[Codes](codes.md) lists the exit code of each error.',
    ],
  }
}

function numberOf(name: string): number {
  const found = Object.entries(exitCodes).find(([one]) => one === name)
  if (found === undefined) throw new Error(`there is no exit code ${name}`)
  return found[1]
}
