import { isExposed } from '../../lib/addresses.ts'
import { shell } from '../../lib/next-command.ts'
import { sentence } from '../../lib/sentence.ts'
import { shellQuote } from '../../lib/shell-quote.ts'
import type { SecretReference } from '../../model/fleet.ts'
import type { NextStep } from '../../model/next-step.ts'
import type { Observed } from '../../model/observed.ts'
import type { Secret } from '../../model/secret.ts'
import type { Finding, InventoryContext, Rule } from '../rule.ts'
import { inventoryLine, referenceWords, unknownWords } from '../words.ts'

export const keyMissing: Rule = {
  code: 'KEY.MISSING',
  severity: 'refuse',
  title: 'The server would run without its key.',
  explain:
    'A server that other machines can reach needs a bearer key, or everyone on the network may use it. The inventory names where to find the key ' +
    '(`api_key: { env: … }`, `{ file: … }` or `{ command: […] }`), never the key itself. The refusal also applies if the machine that runs ' +
    'converge cannot get the key from there.',
  consentable: false,
  checkInventory: withoutReference,
  checkService({ key, service, ...wanted }) {
    if (service.state === 'absent') return []
    if (service.key === undefined) return withoutReference({ ...wanted, service })
    if (key?.known === true) return []
    const where = referenceWords(service.key)
    const because = key === undefined ? 'it was not looked up' : (key.detail ?? unknownWords(key))
    return [
      {
        mayStillStop: true,
        why: `The key of ${service.name} on ${service.host} is not available. ${sentence(because)}`,
        evidence: [inventoryLine(service, ['api_key'], `${service.name}: api_key from ${where}`)],
        next: [isReadingOff(key) ? 'Run without --no-secret-commands if you trust the inventory.' : remedyFor(service.key)],
      },
    ]
  },
}

/** Whether an option kept converge from reading the key. */
function isReadingOff(key: Observed<Secret> | undefined): boolean {
  return key?.known === false && key.because === 'not-gathered' && key.detail !== undefined
}

function withoutReference({ service }: InventoryContext): readonly Finding[] {
  if (service.key !== undefined || !isExposed(service.bind)) return []
  return [
    {
      mayStillStop: true,
      why: `${service.name} on ${service.host} listens on ${service.bind}, which other machines can reach, without a key.`,
      evidence: [inventoryLine(service, ['api_key'], `${service.name}: no api_key`)],
      next: [`Give ${service.name} an api_key, for example  api_key: { env: ${envName(service.name)} }`],
    },
  ]
}

function envName(service: string): string {
  return `${service.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_KEY`
}

function remedyFor(reference: SecretReference): NextStep {
  if ('env' in reference) return shell(`read -rs ${reference.env} && export ${reference.env}`)
  if ('file' in reference) return `Put the key into ${reference.file} (mode 0600) and plan again.`
  if ('command' in reference) return `Run ${shellQuote(reference.command)} by hand and read its output.`
  return 'Set ANSIBLE_VAULT_PASSWORD_FILE to the file with the vault password and plan again.'
}
