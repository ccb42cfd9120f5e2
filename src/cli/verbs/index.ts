import { upkeepVerbs } from '../upkeep-verbs.ts'
import type { VerbEntry } from '../verb.ts'

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
  ...upkeepVerbs,
}
