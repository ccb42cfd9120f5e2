import type { Context } from '../../context/context.ts'
import { ConvergeError } from '../../errors/converge-error.ts'
import { counted } from '../../lib/counted.ts'
import { converge } from '../../lib/next-command.ts'
import { defaultInventory } from '../../load/default-inventory.ts'
import { loadInventory } from '../../load/load.ts'
import type { Check } from '../../model/doctor-document.ts'
import type { SelectionFlags } from '../open-fleet.ts'
import { note, ok, problem } from './check.ts'

/** Only the files are read: no secret is resolved, no host is contacted. */
export async function checkInventory(context: Context, { inventory, secretCommands }: SelectionFlags): Promise<Check> {
  const options = { isClosed: secretCommands === false }
  try {
    const path = inventory ?? (await defaultInventory(context, options))
    return await look(path, options)
  } catch (error) {
    if (!(error instanceof ConvergeError)) throw error
    return note('inventory', error.why, error.next)
  }
}

async function look(path: string, options: { readonly isClosed: boolean }): Promise<Check> {
  const validate = converge(['validate', '-i', path])
  try {
    const { fleet, warnings } = await loadInventory(path, options)
    const services = fleet.hosts.flatMap((host) => host.services).length
    const found = `${path}: ${counted(fleet.hosts.length, 'host')}, ${counted(services, 'service')}`
    return warnings.length === 0
      ? ok('inventory', found)
      : note('inventory', `${found}, ${counted(warnings.length, 'warning')}`, [validate])
  } catch (error) {
    if (!(error instanceof ConvergeError)) throw error
    const mistakes = error.issues.length === 0 ? error.why : counted(error.issues.length, 'mistake')
    return problem('inventory', `${path}: ${mistakes}`, [validate])
  }
}
