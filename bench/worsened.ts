/** What `compare.ts` keeps of a run: no times, which another machine does not repeat. */
export interface Comparison {
  readonly date: string
  readonly machine: string
  readonly hosts: number
  readonly rounds: number
  /** To bare ssh2 with the probe, by row of the table. */
  readonly ratios: Readonly<Record<string, Ratios>>
}

export type Ratios = Readonly<Record<Figure, number>>
export type Figure = keyof typeof figures

export const figures = { wall: 'wall time', cpu: 'processor time', memory: 'peak memory' } as const

/** A ratio is worse if it grew by more than a fifth. */
const most = 1.2

/** The program, and the probe: a bare connect seems cheaper if the probe has become dearer. What programs of others cost is not judged. */
const judged: readonly Judged[] = [
  { row: 'converge plan', what: 'converge plan', against: 'bare ssh2 with the probe', of: (ratio) => ratio },
  { row: 'bare ssh2', what: 'bare ssh2 with the probe', against: 'a bare connect', of: (ratio) => 1 / ratio },
]

interface Judged {
  readonly row: string
  readonly what: string
  readonly against: string
  readonly of: (ratio: number) => number
}

/** A sentence for each ratio that has become worse than the accepted one, or that cannot be compared. */
export function worsened(accepted: Comparison, now: Comparison): readonly string[] {
  const { hosts } = accepted
  if (hosts !== now.hosts) return [`The accepted ratios are of ${hosts} hosts and these of ${now.hosts}: measure as many.`]
  return judged.flatMap((one) => {
    const [before, after] = [accepted.ratios[one.row], now.ratios[one.row]]
    if (before === undefined) return [`No ratios of ${one.row} are accepted.`]
    if (after === undefined) return [`${one.row} was not measured.`]
    const judge = (figure: Figure) => sentence(one, figures[figure], one.of(before[figure]), one.of(after[figure]))
    return (Object.keys(figures) as Figure[]).flatMap(judge)
  })
}

function sentence({ what, against }: Judged, figure: string, before: number, after: number): readonly string[] {
  const growth = after / before
  if (growth <= most) return []
  if (!Number.isFinite(growth)) return [`The ${figure} of ${what} could not be compared with that of ${against}.`]
  const more = `${((growth - 1) * 100).toFixed(0)} %`
  return [
    `${what} takes ${after.toFixed(2)} × the ${figure} of ${against}, ${more} more than the accepted ${before.toFixed(2)} ×.`,
  ]
}
