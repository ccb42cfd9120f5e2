import { ConvergeError } from '../errors/converge-error.ts'
import type { Context } from './context.ts'
import { deliverIssues, type OutputFlags } from './deliver.ts'
import { type OpenFleet, openFleet, type SelectionFlags } from './open-fleet.ts'

/** As `openFleet`; an inventory that is not valid is told in the reports that were asked for as well, with its lines. */
export async function openReported(context: Context, flags: SelectionFlags & OutputFlags): Promise<OpenFleet> {
  try {
    return await openFleet(context, flags)
  } catch (error) {
    if (error instanceof ConvergeError && error.issues !== undefined) await deliverIssues({ context, flags }, error.issues)
    throw error
  }
}
