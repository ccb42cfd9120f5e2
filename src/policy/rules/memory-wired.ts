import { shell } from '../../lib/next-command.ts'
import { goesOn } from '../../simulate/goes-on.ts'
import type { Rule } from '../rule.ts'
import { gib } from '../words.ts'

export const memoryWired: Rule = {
  code: 'MEMORY.WIRED',
  severity: 'refuse',
  title: 'Wired memory of the Mac has no owner.',
  explain:
    'Much more memory of the Mac is wired (stays in RAM, as what the GPU uses) than macOS usually needs and the running servers may hold. macOS ' +
    'may lose the wired memory of a large server that is killed, by `kill -9`, by `kickstart -k` or by the system for lack of memory. No process ' +
    'has it then, and neither an end of the server nor `purge` gives it back. A server that starts in the rest runs out of memory earlier, and loses ' +
    'more. Reboot the Mac, then apply again. If another program has wired it (a virtual machine, a program that uses the GPU), approve the start ' +
    '(`--allow`). converge counts 8 GiB, or a tenth of the RAM if that is more, as usual, and each server with all that it needs. It refuses nothing ' +
    'while a model server runs that is no service of the inventory, because how much that has wired is unknown.',
  consentable: true,
  checkAction({ action, before, host, service }) {
    if (!action.starts || goesOn(action, before) || before.wired === undefined) return []
    const { bytes, usual, servers } = before.wired
    const stray = bytes - usual - servers
    if (stray <= 0) return []
    return [
      {
        why: `At least ${gib(stray)} of wired memory on ${host.name} belongs to no server that converge sees. macOS loses the memory of a large server that is killed, and only a reboot gives it back. ${service.name} would start in the rest.`,
        evidence: [
          `wired: ${gib(bytes)}`,
          `of that, usual for macOS and its programs: ${gib(usual)}`,
          `of that, at most held by running services: ${gib(servers)}`,
        ],
        next: [
          `Reboot ${host.name} first, then plan again.`,
          shell('vm_stat | grep wired; top -l 1 -o mem -n 5 -stats pid,mem,command', {
            say: `If another program may have wired it, look on ${host.name}:`,
          }),
        ],
      },
    ]
  },
}
