import { ConvergeError } from '../errors/converge-error.ts'
import { compileGlob } from '../lib/glob.ts'
import { nearest } from './did-you-mean.ts'

/**
 * The services that `-s` or a play's `services:` selects.
 *
 * @param names the service names of the selected hosts
 * @param globs a service is selected if any glob matches; without globs, all are selected
 * @returns names that match, each once, in the order given
 * @throws ConvergeError `USAGE.UNKNOWN_SERVICE` for a glob that matches no name
 */
export function selectServices(names: readonly string[], globs: readonly string[]): readonly string[] {
  const distinct = [...new Set(names)]
  if (globs.length === 0) return distinct
  const tests = globs.map(compileGlob)
  const idle = globs.find((glob, index) => glob !== '*' && !distinct.some((name) => tests[index]?.(name)))
  if (idle !== undefined) throw unknownService(idle, distinct)
  return distinct.filter((name) => tests.some((matches) => matches(name)))
}

function unknownService(glob: string, names: readonly string[]): ConvergeError {
  const near = nearest(glob, names)
  return new ConvergeError('USAGE.UNKNOWN_SERVICE', {
    summary: 'There is no service with this name.',
    why: `\`${glob}\` matches no service of the selected hosts.`,
    next: [
      ...(near === undefined ? [] : [`Did you mean \`${near}\`?`]),
      names.length === 0
        ? 'These hosts have no services at all.'
        : `They have: ${names.toSorted().slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}.`,
    ],
  })
}
