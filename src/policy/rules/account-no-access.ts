import { accountOf } from '../../simulate/account-of.ts'
import { bringsUp } from '../brings-up.ts'
import type { ActionContext, Finding, Rule } from '../rule.ts'
import { inventoryLine } from '../words.ts'

export const accountNoAccess: Rule = {
  code: 'ACCOUNT.NO_ACCESS',
  severity: 'refuse',
  title: 'The account for the server cannot read its model or run its program.',
  explain:
    'The server would fail at each start, and launchd would start it again for ever. The probe tried it as that account: the file itself or a ' +
    'folder above it is closed to it. The home of another account usually is. Keep models of daemons where their account can read them, for ' +
    'example in /Users/Shared or in the home of that account.',
  consentable: false,
  checkAction(context) {
    const { service, facts } = context
    const account = accountOf(service, facts)
    if (account?.known !== true || account.value === null || !bringsUp(context)) return []
    const { name, access } = account.value
    const { model, executable, interpreter } = service
    const needed: readonly Needed[] = [
      { key: ['model', 'path'], path: model.path, verb: 'read' },
      { key: ['interpreter'], path: interpreter, verb: 'execute' },
      { key: ['executable'], path: executable, verb: interpreter === undefined ? 'execute' : 'read' },
    ]
    return needed.flatMap((one) =>
      one.path !== undefined && access[one.path] === false ? [closed(context, one.path, { ...one, name })] : [],
    )
  },
}

interface Needed {
  readonly key: readonly string[]
  readonly path: string | undefined
  readonly verb: 'read' | 'execute'
}

function closed(
  { service, host }: ActionContext,
  path: string,
  { key, verb, name }: Needed & { readonly name: string },
): Finding {
  return {
    why: `${service.name} on ${host.name} runs as ${name}, and ${name} cannot ${verb} ${path}.`,
    evidence: [inventoryLine(service, key, `${service.name}: ${path}`), `account: ${name}`],
    next: [`Open the file and the folders above it to ${name}, move it to a place that ${name} can reach, or set another user.`],
  }
}
