/** Why a schedulable verb cannot be scheduled with these options; a full sentence. */
export class NotScheduled extends Error {
  override readonly name = 'NotScheduled'
}
