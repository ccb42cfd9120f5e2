import type { VerbEntry } from './verb.ts'

/** Verbs about earlier runs, converge itself and what it leaves: the last ones of `converge --help`. */
export const upkeepVerbs: Readonly<Record<string, VerbEntry>> = {
  history: {
    group: 'Records and tools',
    summary: 'list earlier runs on this machine and how they ended',
    examples: [
      ['history', 'the last 20 runs'],
      ['history --last 100 --json', 'for scripts'],
    ],
    load: () => import('./verbs/history.ts'),
  },
  report: {
    group: 'Records and tools',
    summary: 'show an earlier run, or merge several, in any format',
    examples: [
      ['report --format html=run.html', 'the latest run as a page'],
      ['report merge nas.json macs.json', 'several partial runs as one'],
    ],
    load: () => import('./verbs/report.ts'),
  },
  schema: {
    group: 'Records and tools',
    summary: 'print the JSON schemas, or write them for an editor',
    examples: [
      ['schema', 'list the schemas'],
      ['schema inventory', 'print one schema'],
      ['schema --write', 'write those of the inventory into its folder'],
    ],
    load: () => import('./verbs/schema.ts'),
  },
  completion: {
    group: 'Records and tools',
    summary: 'print a script that makes your shell complete converge',
    note: `To install it, add this line to ~/.bashrc:
  eval "$(converge completion bash)"
or this to ~/.zshrc, after compinit:
  eval "$(converge completion zsh)"
or for fish, run this once:
  converge completion fish > ~/.config/fish/completions/converge.fish`,
    examples: [
      ['completion bash', 'the script for bash'],
      ['completion zsh', 'the script for zsh'],
    ],
    load: () => import('./verbs/completion.ts'),
  },
  doctor: {
    group: 'Records and tools',
    summary: 'check what this machine needs to run converge',
    note: 'It reads only, and contacts no host.',
    examples: [
      ['doctor', 'what is missing, and what to do about it'],
      ['doctor --json', 'for a bug report or a script'],
    ],
    load: () => import('./verbs/doctor.ts'),
  },
  demo: {
    group: 'Records and tools',
    summary: 'take a tour on a simulated fleet',
    examples: [
      ['demo', 'the tour'],
      ['demo --keep', 'keep the fleet running afterwards'],
    ],
    load: () => import('./verbs/demo.ts'),
  },
  unlock: {
    group: 'Maintain',
    summary: 'remove the lock that a run left on a host',
    examples: [
      ['unlock nas', 'after confirmation'],
      ['unlock nas -y', 'do not ask'],
    ],
    load: () => import('./verbs/unlock.ts'),
  },
  release: {
    group: 'Maintain',
    summary: 'stop managing a service, and leave it running as it is',
    examples: [
      ['release coder@nas', 'ask, then release it'],
      ['release coder -y', 'do not ask; only one host has coder'],
    ],
    load: () => import('./verbs/release.ts'),
  },
  pin: {
    group: 'Maintain',
    summary: 'pin model sources in the inventory to their current commits',
    examples: [
      ['pin --check', 'list sources without a commit'],
      ['pin --update', 'move pins to the tip of main'],
    ],
    load: () => import('./verbs/pin.ts'),
  },
  notify: {
    group: 'Maintain',
    summary: 'send a test notification',
    examples: [
      ['notify test', 'every entry of fleet.notify'],
      ['notify test 2', 'the second entry'],
    ],
    load: () => import('./verbs/notify.ts'),
  },
  schedule: {
    group: 'Maintain',
    summary: 'schedule a read-only command on this machine',
    examples: [
      ['schedule cron --every 1h -- drift', 'show what it would do'],
      ['schedule cron --every 1h --install -- drift', 'install it'],
    ],
    load: () => import('./verbs/schedule.ts'),
  },
}
