import { at, type SourceFile } from './source-file.ts'

/** At the beginning of a text or behind a colon, where people copy it from. */
const command =
  /(?<=\[|\((?!`)|[?>=|] |[,:] (?!`)|return |^\s*)['`"](?:[^'`"\n]*: {1,2})?converge (?:apply|demo|drift|explain|facts|fetch|history|hosts|pin|plan|prune|render|report|resume|schedule|status|unlock|validate|verify)(?= -|['`]|    )/gm

/** Commands that people are to type next and that are written as text: the options of a run cannot be put into them. */
export function commandsAsText(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) =>
    [...file.withoutComments.matchAll(command)].map(
      (match) => `${at(file, match.index)}: use converge([…]) of lib/next-command.ts`,
    ),
  )
}
