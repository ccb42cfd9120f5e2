const onlySudo = /^(?:ansible\.builtin\.)?sudo$/u
const itsProgram = /^sudo$/u
/** Those that Ansible gives it by itself, and converge likewise: a home, a password on stdin, no questions. */
const itsFlags = /^\s*(?:-[HSn]+\s*)*$/u

/** What Ansible's variables about becoming another user may say, so that `sudo` as converge calls it does the same. */
const understood: ReadonlyMap<string, RegExp> = new Map([
  ['ansible_become_method', onlySudo],
  ['ansible_become_exe', itsProgram],
  ['ansible_sudo_exe', itsProgram],
  ['ansible_become_flags', itsFlags],
  ['ansible_sudo_flags', itsFlags],
])

/** Whether Ansible would become another user in a way that converge does not. */
export function becomesOtherwise(name: string, value: string): boolean {
  return understood.get(name)?.test(value) === false
}
