import { code, type Page, prose, table } from './markdown.ts'

/** Kept by hand: what of the environment on this machine changes what converge does. */
export const variablesRead: Readonly<Record<string, string>> = {
  CONVERGE_INVENTORY: 'The inventory, if `-i` is not given. Without both: the only directory in `inventories/`.',
  CONVERGE_STATE_DIR:
    'The folder for journals, locks and history. Default: `$XDG_STATE_HOME/converge`, else `~/.local/state/converge`; on macOS a folder below `~/Library/Application Support`.',
  CONVERGE_SHARD:
    'The default of `--shard`: `I/N`, `auto` or `none`. If it is not set, the variables of an engine count. See [scale.md](../scale.md).',
  CONVERGE_SHARD_RUN_ID: 'The default of `--run-id`, if a shard is asked for.',
  CONVERGE_SHARDS: 'In a Kubernetes Indexed Job: the number of shards. Elsewhere it must agree with the engine.',
  JOB_COMPLETION_INDEX: 'The shard of a pod in a Kubernetes Indexed Job, from 0 on.',
  SLURM_ARRAY_TASK_ID:
    'The shard of a task in a Slurm array, counted from `SLURM_ARRAY_TASK_MIN`; `SLURM_ARRAY_TASK_COUNT` is the number of shards.',
  CI_NODE_INDEX: 'The shard of a job in a GitLab `parallel`, from 1 on; `CI_NODE_TOTAL` is the number of shards.',
  BUILDKITE_PARALLEL_JOB:
    'The shard of a job in a Buildkite `parallelism`, from 0 on; `BUILDKITE_PARALLEL_JOB_COUNT` is the number of shards.',
  ANSIBLE_VAULT_PASSWORD_FILE:
    'The file with the password for `!vault` values. converge runs an executable file and reads what it prints.',
  CONVERGE_FORM:
    'Set by the wrapper of a package, such as that of Homebrew: how converge was installed, for `converge --version --json`.',
  NO_COLOR: 'Disables colours. `--no-color` sets it.',
  FORCE_COLOR: 'Enables colours, even without a terminal.',
  TERM: '`dumb`: progress is written as lines, not redrawn.',
  CI: 'If set, and neither `false` nor `0`: progress is written as lines, not redrawn.',
  GITHUB_ACTIONS: '`true`: findings are also annotations, which GitHub shows beside the lines of the inventory.',
  HTTPS_PROXY: 'The proxy for model hubs over https. Default: that of `HTTP_PROXY`. The lower-case name wins.',
  HTTP_PROXY: 'The proxy for model hubs over http. The lower-case name wins.',
  NO_PROXY: 'Hosts that are reached without a proxy. The lower-case name wins.',
  NODE_EXTRA_CA_CERTS: 'A file with further certificate authorities for https. Node reads it.',
  SSH_AUTH_SOCK: 'The SSH agent, unless `IdentityAgent` in `~/.ssh/config` names another.',
  HOME: 'Your home, for paths that start with `~/`.',
  PATH: 'Where programs on this machine are found. `converge schedule` writes it into the schedule.',
  LC_ALL: '`converge doctor` says if the locale is not UTF-8. The first of `LC_ALL`, `LC_CTYPE` and `LANG` counts.',
  LC_CTYPE: 'The same, if `LC_ALL` is not set.',
  LANG: 'The same, if neither is set.',
  SHELL: 'Runs the `ProxyCommand` of `~/.ssh/config`. Default: `/bin/sh`.',
  XDG_CACHE_HOME: 'Its folder `converge` holds compiled code. Default: `~/.cache`.',
  XDG_CONFIG_HOME: 'Where `converge schedule systemd` writes the units of an account. Default: `~/.config`.',
  LOGNAME: 'With `--no-secret-commands`: your name in the history.',
  USER: 'The same, if `LOGNAME` is not set.',
}

/** Kept by hand: what converge gives to a program that it runs. */
export const variablesSet: Readonly<Record<string, string>> = {
  CONVERGE_RUN_ID: 'The id of the run, for the command or `sendmail` of an entry of `fleet.notify`.',
}

export function environmentPage(): Page {
  return {
    title: 'Environment variables',
    about: 'The environment variables that converge reads on the machine it runs on, and those it sets.',
    blocks: [
      '## Read by converge',
      variablesTable(variablesRead),
      'An inventory may name further variables: `{ env: NAME }` is [a secret](inventory.md#secrets) in the variable `NAME`.',
      '## Set by converge',
      variablesTable(variablesSet),
    ],
  }
}

export function variablesTable(variables: Readonly<Record<string, string>>): string {
  return table(
    ['Variable', 'Meaning'],
    Object.entries(variables).map(([name, meaning]) => [code(name), prose(meaning)]),
  )
}
