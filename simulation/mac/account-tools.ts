import type { Answer } from '../tool-socket.ts'
import type { View } from './system-tools.ts'

/** With `-P NAME` the account as a line of a password file, without its password. */
export function id({ machine, asRoot }: View, [flag, name]: readonly string[]): Answer {
  if (flag === '-P') {
    const root = { name: 'root', uid: 0, home: '/var/root' }
    const login = { name: machine.user, uid: machine.uid, home: machine.home }
    const one = [root, login, ...machine.accounts].find((account) => account.name === name)
    if (one === undefined) return { code: 1, err: `id: ${name}: no such user\n` }
    return { code: 0, out: `${one.name}:********:${one.uid}:20::0:0:${one.name}:${one.home}:/bin/zsh\n` }
  }
  if (asRoot) return { code: 0, out: flag === '-u' ? '0\n' : 'root\n' }
  return { code: 0, out: `${flag === '-u' ? machine.uid : machine.user}\n` }
}

/** Everyone may ask for its state. */
export function fdesetup({ machine }: View, [verb]: readonly string[]): Answer {
  if (verb !== 'status') return { code: 64, err: 'fdesetup: not simulated\n' }
  return { code: 0, out: `FileVault is ${machine.fileVault ? 'On' : 'Off'}.\n` }
}
