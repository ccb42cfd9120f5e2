/**
 * The flags that a program's help lists: at the start of a line (`-t, --threads N   number of …`, llama.cpp and argparse) and in the
 * brackets of a usage line (`[--host HOST]`). Flags that a description mentions do not count.
 */
export function flagsInHelp(lines: readonly string[]): readonly string[] {
  const flags = lines.flatMap((line) => (/^\s*-/.test(line) ? headFlags(line) : usageFlags(line)))
  return [...new Set(flags)].toSorted()
}

const flag = /^--?[A-Za-z][\w-]*/

/** The words before the description: flags, each with an optional value, separated by commas or blanks. */
function headFlags(line: string): readonly string[] {
  const flags: string[] = []
  let rest = line.trim()
  for (;;) {
    const found = flag.exec(rest)?.[0]
    if (found === undefined) return flags
    flags.push(found)
    // A value (`N`, `<x>`, `{a,b}`, `=X`, `[a|b]`) and the separator, as long as another flag follows.
    rest = rest.slice(found.length).replace(/^(?:[ =](?!-)[^\s,]+)?(?:\s*,\s*|\s+)(?=--?[A-Za-z])/, '')
  }
}

function usageFlags(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|[[(|\s])(--?[A-Za-z][\w-]*)/g)].map((match) => match[1] ?? '')
}
