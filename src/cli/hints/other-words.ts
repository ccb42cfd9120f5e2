export interface OtherWord {
  /** What users of Ansible, Terraform, systemd, Docker or git type. */
  readonly words: string
  /** What converge has for it. */
  readonly hint: string
}

/** Commands of other tools, and what to do here. `test/cli/hints.test.ts` rejects a word that has become a verb. */
export const otherWords: readonly OtherWord[] = [
  {
    words: 'diff preview changes',
    hint: '`converge plan` shows pending changes. `converge drift` shows what others changed since the last apply.',
  },
  {
    words: 'check lint test',
    hint: '`converge validate` checks the inventory. `converge verify` tests the servers. `converge plan` shows what would change.',
  },
  {
    words: 'ls list ps show get services',
    hint: '`converge status` lists the services. `converge hosts` lists the hosts.',
  },
  { words: 'top htop monitor dashboard', hint: '`converge status --watch` shows a live table of the services.' },
  { words: 'inventory graph groups', hint: '`converge hosts` lists the hosts that a pattern selects.' },
  {
    words: 'destroy rm remove delete uninstall down purge',
    hint: 'No command removes a service. Set `state: absent` for it in the inventory, then run `converge apply`.',
  },
  {
    words: 'reload bounce kickstart reboot',
    hint: '`converge restart SERVICE` restarts a service. `converge apply` restarts one if its definition changed.',
  },
  {
    words: 'up enable unpause load',
    hint: '`converge start SERVICE` starts a service for now. To keep it running, set `state: running` in the inventory, then run `converge apply`.',
  },
  {
    words: 'disable pause kill unload',
    hint: '`converge stop SERVICE` stops a service for now. To keep it stopped, set `state: stopped` in the inventory, then run `converge apply`.',
  },
  {
    words: 'log journal tail',
    hint: '`converge logs SERVICE` shows the log of a server. `converge fetch log` shows the log of a download.',
  },
  {
    words: 'new create scaffold bootstrap quickstart',
    hint: '`converge init` writes a first inventory for hosts that you name.',
  },
  {
    words: 'import takeover',
    hint: '`converge adopt` adds running servers to the inventory; `apply` takes them over.',
  },
  {
    words: 'run deploy sync reconcile converge provision playbook ansible-playbook execute install',
    hint: '`converge apply` makes the changes. `converge plan` shows them first.',
  },
  {
    words: 'setup gather gather_facts inspect describe info',
    hint: '`converge facts` shows what converge observes on the hosts.',
  },
  {
    words: 'ping health healthcheck probe',
    hint: '`converge status` shows whether hosts and servers answer. `converge verify` tests each server with a real request.',
  },
  { words: 'pull download', hint: '`converge fetch` downloads models to the hosts.' },
  { words: 'clean cleanup gc', hint: '`converge prune` removes downloaded model files that nothing uses.' },
  { words: 'force-unlock lock', hint: '`converge unlock HOST` shows the lock of a host and removes it after confirmation.' },
  {
    words: 'cron timer watch daemon',
    hint: '`converge status --watch` shows a live table. `converge schedule` schedules a read-only command with cron, systemd or launchd.',
  },
  { words: 'template cat config compose', hint: '`converge render SERVICE` prints the definition file of a service.' },
  { words: 'runs last', hint: '`converge history` lists earlier runs. `converge report` shows one.' },
  { words: 'man docs manual usage', hint: '`converge help` lists all commands and topics.' },
  {
    words: 'update bump',
    hint: '`converge upgrade` moves servers to newer images and executables. `converge pin --update` moves models to the current commit.',
  },
  {
    words: 'rollback undo revert',
    hint: 'converge rolls back a failed change by itself. To return to an earlier state, restore that inventory and run `converge apply`.',
  },
  { words: 'version', hint: '`converge --version` shows the version.' },
  { words: 'vault encrypt', hint: '`converge help secrets` explains where converge finds keys and passwords.' },
  { words: 'profile profiles switch', hint: '`converge use` lists the profiles of the inventory, and switches between them.' },
  { words: 'approve allow consent override force', hint: '`converge help approvals` explains how to overrule a refusal.' },
]
