type Cells = readonly (string | number)[]

/** As RESULTS.md has it. All columns but the first one are figures. */
export function table(titles: Cells, rows: readonly Cells[]): string {
  return [titles, ['---', ...titles.slice(1).map(() => '---:')], ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`
}
