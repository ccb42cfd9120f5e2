import type { Verb } from '../verb.ts'

export interface VerbEntry {
  /** Its heading in `converge --help`. */
  readonly group: 'Start' | 'Inspect' | 'Change' | 'Explain' | 'Records and tools' | 'Maintain'
  readonly summary: string
  /** Terms that its options use. */
  readonly note?: string
  /** Command lines, each with what it is about. */
  readonly examples: readonly (readonly [string, string])[]
  /** Loaded only when it is called, so that the others cost nothing. */
  readonly load: () => Promise<{ readonly verb: Verb }>
}

/** Every verb, in the order of `converge --help`. */
export const verbs: Readonly<Record<string, VerbEntry>> = {
  init: {
    group: 'Start',
    summary: 'write a first inventory of hosts and the servers that run there',
    examples: [
      ['init nas op@box', 'look at two hosts, then ask'],
      ['init --example mac', 'an example to edit; contacts no host'],
    ],
    load: () => import('./init.ts'),
  },
  adopt: {
    group: 'Start',
    summary: 'add running servers to the inventory; changes no host',
    examples: [
      ['adopt nas', 'show what runs there and would be added'],
      ['adopt nas --write', 'add it; apply then takes it over'],
    ],
    load: () => import('./adopt.ts'),
  },
  plan: {
    group: 'Inspect',
    summary: 'show pending changes, and refusals with their reasons',
    examples: [
      ['plan --limit nas', 'one host'],
      ['plan --steps', 'with every command and file that apply sends'],
    ],
    load: () => import('./plan.ts'),
  },
  status: {
    group: 'Inspect',
    summary: 'show the state, port, pid, warmth and health of each service',
    examples: [
      ['status', 'the whole fleet'],
      ['status --watch', 'a live table with figures'],
      ["status --limit 'macs:&small'", 'hosts in both groups'],
    ],
    load: () => import('./status.ts'),
  },
  logs: {
    group: 'Inspect',
    summary: 'show the logs of servers, side by side, and follow them',
    examples: [
      ['logs coder@nas -f', 'follow one log'],
      ["logs 'coder*' --since 10m", 'several, each line with its name'],
    ],
    load: () => import('./logs.ts'),
  },
  drift: {
    group: 'Inspect',
    summary: 'compare the hosts and the inventory with the last apply',
    note: 'Classes of findings: drift (the host changed), pending (the inventory changed),\nconflict (both changed) and foreign (nothing in the inventory explains it).',
    examples: [
      ['drift', 'exit with 2 if someone changed a host'],
      ['drift --changed', 'for cron: print nothing if nothing is new'],
    ],
    load: () => import('./drift.ts'),
  },
  verify: {
    group: 'Inspect',
    summary: 'run the smoke tests: does every server answer?',
    examples: [
      ['verify', 'every server'],
      ['verify --service coder', 'one service'],
    ],
    load: () => import('./verify.ts'),
  },
  facts: {
    group: 'Inspect',
    summary: 'show what is observed on the hosts',
    examples: [
      ['facts --limit nas', 'one host'],
      ['facts --out facts/', 'also write snapshots for plan --facts'],
    ],
    load: () => import('./facts.ts'),
  },
  hosts: {
    group: 'Inspect',
    summary: 'list the hosts that a pattern selects',
    examples: [
      ['hosts', 'every host'],
      ["hosts 'all:!box'", 'every host except box'],
    ],
    load: () => import('./hosts.ts'),
  },
  validate: {
    group: 'Inspect',
    summary: 'check the inventory and a playbook without contacting a host',
    examples: [
      ['validate', 'the inventory'],
      ['validate site.yaml', 'the inventory and a playbook'],
    ],
    load: () => import('./validate.ts'),
  },
  render: {
    group: 'Inspect',
    summary: 'print the definition file that apply would write',
    examples: [
      ['render coder@nas', 'the compose file, unit or plist'],
      ['render coder', 'if only one host has the service'],
    ],
    load: () => import('./render.ts'),
  },
  endpoints: {
    group: 'Inspect',
    summary: 'list where clients reach the models, in the format of a client',
    examples: [
      ['endpoints', 'a table, from the inventory alone'],
      ['endpoints --format litellm', 'a file for a client, without keys'],
      ['endpoints --healthy', 'only what answers now'],
    ],
    load: () => import('./endpoints.ts'),
  },
  apply: {
    group: 'Change',
    summary: 'make the changes and test that every server answers',
    examples: [
      ['apply --limit nas', 'one host, after confirmation'],
      ['apply plan.json', 'a saved plan; skips what is already in place'],
    ],
    load: () => import('./apply.ts'),
  },
  restart: {
    group: 'Change',
    summary: 'restart services, without any other change',
    examples: [
      ['restart coder@nas', 'after confirmation'],
      ['restart coder --wait-idle 10m', 'when it has finished its requests'],
    ],
    load: () => import('./restart.ts'),
  },
  stop: {
    group: 'Change',
    summary: 'stop services, until the next apply or for longer',
    examples: [
      ['stop coder@mini', 'the next apply starts it again'],
      ['stop coder --until 07:00', 'until then, apply leaves it stopped'],
    ],
    load: () => import('./stop.ts'),
  },
  start: {
    group: 'Change',
    summary: 'start services with the definitions on their hosts',
    examples: [
      ['start coder@mini', 'also ends a stop --until'],
      ['start writer --until revert', 'although the inventory says stopped'],
    ],
    load: () => import('./start.ts'),
  },
  use: {
    group: 'Change',
    summary: 'switch to a profile: start and stop several services as one',
    examples: [
      ['use', 'list the profiles, and which one holds'],
      ['use coding --until 07:00', 'until then, apply keeps its states'],
    ],
    load: () => import('./use.ts'),
  },
  upgrade: {
    group: 'Change',
    summary: 'move servers to newer images and executables',
    examples: [
      ['upgrade coder --check', 'ask the registry, and change nothing'],
      ['upgrade', 'every server, one host first'],
    ],
    load: () => import('./upgrade.ts'),
  },
  resume: {
    group: 'Change',
    summary: 'finish an interrupted run',
    examples: [
      ['resume', 'the latest unfinished run'],
      ['resume 20261101T2215', 'the run whose id begins like this'],
    ],
    load: () => import('./resume.ts'),
  },
  fetch: {
    group: 'Change',
    summary: 'download models to the hosts; watch or stop a download',
    examples: [
      ['fetch --limit nas', 'download what is missing on one host'],
      ['fetch status', 'show the progress of downloads'],
    ],
    load: () => import('./fetch.ts'),
  },
  prune: {
    group: 'Change',
    summary: 'remove downloaded model files that nothing uses',
    examples: [
      ['prune --check', 'list what would be removed'],
      ['prune --limit nas', 'one host, after confirmation'],
    ],
    load: () => import('./prune.ts'),
  },
  explain: {
    group: 'Explain',
    summary: 'explain a refusal or error code and what to do',
    examples: [
      ['explain WARM.RESTART', 'one code'],
      ['explain', 'list all codes'],
    ],
    load: () => import('./explain.ts'),
  },
  help: {
    group: 'Explain',
    summary: 'show help for a command or a topic',
    examples: [
      ['help apply', 'a command and its options'],
      ['help patterns', 'a topic'],
    ],
    load: () => import('./help.ts'),
  },
  history: {
    group: 'Records and tools',
    summary: 'list earlier runs on this machine and how they ended',
    examples: [
      ['history', 'the last 20 runs'],
      ['history --last 100 --json', 'for scripts'],
    ],
    load: () => import('./history.ts'),
  },
  report: {
    group: 'Records and tools',
    summary: 'show an earlier run, or merge several, in any format',
    examples: [
      ['report --format html=run.html', 'the latest run as a page'],
      ['report merge nas.json macs.json', 'several partial runs as one'],
    ],
    load: () => import('./report.ts'),
  },
  schema: {
    group: 'Records and tools',
    summary: 'print the JSON schemas, or write them for an editor',
    examples: [
      ['schema', 'list the schemas'],
      ['schema inventory', 'print one schema'],
      ['schema --write', 'write those of the inventory into its folder'],
    ],
    load: () => import('./schema.ts'),
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
    load: () => import('./completion.ts'),
  },
  demo: {
    group: 'Records and tools',
    summary: 'take a tour on a simulated fleet',
    examples: [
      ['demo', 'the tour'],
      ['demo --keep', 'keep the fleet running afterwards'],
    ],
    load: () => import('./demo.ts'),
  },
  unlock: {
    group: 'Maintain',
    summary: 'remove the lock that a run left on a host',
    examples: [
      ['unlock nas', 'after confirmation'],
      ['unlock nas -y', 'do not ask'],
    ],
    load: () => import('./unlock.ts'),
  },
  release: {
    group: 'Maintain',
    summary: 'stop managing a service, and leave it running as it is',
    examples: [
      ['release coder@nas', 'ask, then release it'],
      ['release coder -y', 'do not ask; only one host has coder'],
    ],
    load: () => import('./release.ts'),
  },
  pin: {
    group: 'Maintain',
    summary: 'pin model sources in the inventory to their current commits',
    examples: [
      ['pin --check', 'list sources without a commit'],
      ['pin --update', 'move pins to the tip of main'],
    ],
    load: () => import('./pin.ts'),
  },
  notify: {
    group: 'Maintain',
    summary: 'send a test notification',
    examples: [
      ['notify test', 'every entry of fleet.notify'],
      ['notify test 2', 'the second entry'],
    ],
    load: () => import('./notify.ts'),
  },
  schedule: {
    group: 'Maintain',
    summary: 'schedule a read-only command on this machine',
    examples: [
      ['schedule cron --every 1h -- drift', 'show what it would do'],
      ['schedule cron --every 1h --install -- drift', 'install it'],
    ],
    load: () => import('./schedule.ts'),
  },
}
