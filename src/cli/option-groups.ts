/** Headings of `--help`, in the order in which a verb calls these functions; its own options come first, under *Options*. */
export const groups = {
  selection: 'Selection:',
  safety: 'Safety:',
  connection: 'Connection:',
  facts: 'Facts snapshots:',
  output: 'Output:',
} as const
