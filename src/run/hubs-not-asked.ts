import { ConvergeError } from '../errors/converge-error.ts'

/** For an inventory that may be untrusted. */
export function hubsNotAsked(): ConvergeError {
  return new ConvergeError('HUB.NOT_ASKED', {
    summary: 'Model hubs are not contacted for an untrusted inventory.',
    why: 'The inventory names the hub and the token to send to it.',
    next: ['Omit --no-secret-commands if you trust the inventory.'],
  })
}
