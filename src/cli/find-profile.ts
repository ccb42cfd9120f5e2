import { ConvergeError } from '../errors/converge-error.ts'
import { nearest } from '../inventory/did-you-mean.ts'
import { converge } from '../lib/next-command.ts'
import type { Fleet, Profile } from '../model/fleet.ts'

/** @throws ConvergeError `USAGE.PROFILE` */
export function findProfile({ profiles = [] }: Pick<Fleet, 'profiles'>, name: string): Profile {
  const profile = profiles.find((one) => one.name === name)
  if (profile !== undefined) return profile
  const known = profiles.map((one) => one.name)
  const meant = nearest(name, known)
  throw new ConvergeError('USAGE.PROFILE', {
    summary: 'There is no such profile.',
    why: known.length === 0 ? 'The inventory has no `fleet.profiles`.' : `The profiles are ${known.join(', ')}.`,
    next: [...(meant === undefined ? [] : [`Did you mean ${meant}?`]), converge(['use'], { note: 'lists the profiles' })],
  })
}
