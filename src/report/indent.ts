/** Every line that is not empty moved right by `by` columns. */
export function indent(text: string, by = 2): string {
  const space = ' '.repeat(by)
  return text
    .split('\n')
    .map((line) => (line === '' ? line : space + line))
    .join('\n')
}
