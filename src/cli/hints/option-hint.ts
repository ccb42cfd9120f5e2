import { nearest } from '../../inventory/did-you-mean.ts'
import { otherOptions } from './other-options.ts'

/** What a person most likely meant by an option that a command does not have. @param known the options that it has: `--limit` */
export function optionHint(option: string, known: readonly string[]): readonly string[] {
  const [name = ''] = option.split('=')
  const other = otherOptions.find(({ words }) => words.split(' ').includes(name))
  const same = known.find((one) => one === other?.option)
  if (same !== undefined) return [`Did you mean \`${same}\`?`]
  if (other?.hint !== undefined) return [other.hint]
  const meant = other === undefined && name.startsWith('--') ? nearest(name, known) : undefined
  return meant === undefined ? [] : [`Did you mean \`${meant}\`?`]
}
