import { fromEnvironment } from '../inventory/asked-shard.ts'
import { defined } from '../lib/defined.ts'
import type { GivenOptions } from '../model/given-options.ts'

/**
 * What a command line says of what the run is about.
 *
 * @param options of the verb that was called, as commander read them; not every verb has these.
 * @param file what `plan` and `apply` were given to follow
 */
export async function givenOptions(
  { inventory, sshConfig, limit, shard, service, facts }: Readonly<Record<string, unknown>>,
  file: string | undefined,
): Promise<GivenOptions> {
  return {
    ...(typeof limit === 'string' ? { limit } : {}),
    ...(isList(service) ? { services: service } : {}),
    ...(typeof shard === 'string' && shard !== fromEnvironment ? { shard } : {}),
    // With a facts snapshot it is a playbook, and may be a stranger's.
    ...(file === undefined ? {} : typeof facts === 'string' ? { playbook: file } : await saidByFile(file)),
    ...(typeof inventory === 'string' ? { inventory } : {}),
    ...(typeof sshConfig === 'string' ? { sshConfig } : {}),
  }
}

/** Nothing of a file that cannot be made out: the verb says what is wrong with it. */
async function saidByFile(path: string): Promise<GivenOptions> {
  const { readSavedPlan } = await import('../state/saved-plan.ts')
  try {
    const file = await readSavedPlan(path)
    if (file === undefined) return { playbook: path }
    const { saved, inventory } = file.plan
    return {
      savedPlan: path,
      inventory: inventory.path,
      limit: saved.hosts.join(','),
      ...(saved.services.length === 0 ? {} : { services: saved.services }),
      ...defined({ playbook: saved.playbook?.path }),
    }
  } catch {
    return {}
  }
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
