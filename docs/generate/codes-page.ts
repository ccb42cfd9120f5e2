import { explanations } from '../../src/cli/verbs/explain.ts'
import { sentence } from '../../src/lib/sentence.ts'
import { anchor, code, type Page, prose, table } from './markdown.ts'

type Explanation = ReturnType<typeof explanations>[number]

const parts = [
  {
    what: 'refusal',
    title: 'Refusals',
    about:
      'A rule refuses an action. Where the table says *yes*, a person may approve it: `--allow CODE@SERVICE --reason "why"`, or an approval in a playbook.',
    column: 'Can be approved',
    value: ({ consentable }: Explanation) => (consentable === true ? 'yes' : 'no'),
  },
  { what: 'warning', title: 'Warnings', about: 'A warning stops nothing.' },
  {
    what: 'error',
    title: 'Errors',
    about: 'An error ends the command, or what it does with one host. [Exit codes](exit-codes.md) explains the numbers.',
    column: 'Exit code',
    value: ({ exit }: Explanation) => code(String(exit)),
  },
] as const

/** The same words as `converge explain`. */
export function codesPage(): Page {
  const known = explanations()
  return {
    title: 'Codes',
    about: 'Every refusal, warning and error with its meaning and what to do, as `converge explain CODE` prints it.',
    blocks: parts.flatMap((part) => {
      const own = known.filter(({ what }) => what === part.what)
      return [`## ${part.title}`, part.about, overviewOf(own, part), ...own.flatMap((one) => explanationBlocks(one))]
    }),
  }
}

function overviewOf(own: readonly Explanation[], part: (typeof parts)[number]): string {
  const extra = 'column' in part ? part : undefined
  return table(
    ['Code', 'Title', ...(extra === undefined ? [] : [extra.column])],
    own.map((one) => [
      `[${code(one.code)}](${anchor(one.code)})`,
      prose(sentence(one.title)),
      ...(extra === undefined ? [] : [extra.value(one)]),
    ]),
  )
}

function explanationBlocks(one: Explanation): readonly string[] {
  return [`### ${one.code}`, [`**${prose(sentence(one.title))}**`, ...consequenceOf(one)].join(' '), prose(one.explain)]
}

function consequenceOf({ what, consentable, exit }: Explanation): readonly string[] {
  if (what === 'warning') return []
  if (what === 'error') return [`Exit code ${code(String(exit))}.`]
  return [consentable === true ? 'Can be approved.' : 'Cannot be approved.']
}
