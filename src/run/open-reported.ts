import type { Context } from '../context/context.ts'
import { ConvergeError } from '../errors/converge-error.ts'
import { deliverError, type OutputFlags } from './deliver.ts'
import { type OpenFleet, openFleet, type SelectionFlags } from './open-fleet.ts'

/** As `openFleet`, but also writes errors into the requested output files: mistakes in the inventory in every format, with their lines. */
export async function openReported(context: Context, flags: SelectionFlags & OutputFlags): Promise<OpenFleet> {
  try {
    return await openFleet(context, flags)
  } catch (error) {
    if (error instanceof ConvergeError) await deliverError({ context, flags }, error)
    throw error
  }
}
