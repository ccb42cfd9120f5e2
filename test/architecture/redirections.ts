import { at, type SourceFile } from './source-file.ts'

const builtin = '(?::|\\.|exec|eval|set|shift|trap|unset|export|readonly|return|exit)(?=[ \\t])'
const toFile = '[^\\n;|&)]*?[<>](?![&(]|\\s*/dev/null)'
const handled = new RegExp(
  [
    `(?:^|[;{(]|then|do|else)[ \\t]*${builtin}${toFile}[^\\n;)]*?(?:\\|\\||&&)`,
    `\\b(?:if|until|while|elif)[ \\t]+(?:![ \\t]+)?${builtin}${toFile}`,
  ].join('|'),
  'gm',
)

/**
 * In dash and busybox a shell ends where a special builtin cannot be redirected, whatever stands behind it: what was to be done about a file
 * that cannot be written is not done. \`true >file\` goes on, and so does who waits for a subshell.
 */
export function fatalRedirections(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) =>
    [...onlyTexts(file).matchAll(handled)].map((match) => `${at(file, match.index)}: ends the shell where it fails`),
  )
}

/** What stands in strings and templates; everything else is blank. */
function onlyTexts({ withoutComments, code }: SourceFile): string {
  return withoutComments.replaceAll(/[^\n]/g, (char, index: number) => (code[index] === ' ' ? char : ' '))
}
