const onlySudo = /^(?:ansible\.builtin\.)?sudo$/u
const itsProgram = /^sudo$/u
/** The flags that Ansible and converge always use: a home, a password on stdin, no questions. */
const itsFlags = /^\s*(?:-[HSn]+\s*)*$/u

/** The values of Ansible's `become` variables with which `sudo`, as converge calls it, does the same. */
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
