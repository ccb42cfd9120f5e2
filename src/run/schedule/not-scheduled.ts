/** Why a verb that may be run on a schedule may not be run like this; a whole sentence. */
export class NotScheduled extends Error {
  override readonly name = 'NotScheduled'
}
