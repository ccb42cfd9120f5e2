export interface OtherOption {
  /** What users of Ansible, Terraform and other tools type. */
  readonly words: string
  /** The option that has this meaning, on the commands that have it. */
  readonly option?: string
  /** What to do on the commands that do not have it. */
  readonly hint?: string
}

/** Options of other tools, and what to do here. */
export const otherOptions: readonly OtherOption[] = [
  {
    words: '--dry-run --noop --preview --simulate -n',
    option: '--check',
    hint: '`converge plan` shows the changes and makes none.',
  },
  {
    words: '--yes --auto-approve --assume-yes --no-confirm --noconfirm --non-interactive --no-input',
    option: '--yes',
    hint: 'Only commands that change something ask for confirmation, and take `--yes`.',
  },
  { words: '--host --hosts --target --targets --group --groups --subset --node --nodes', option: '--limit' },
  { words: '--tags --tag --services --only --unit -t', option: '--service' },
  { words: '--inventory-file --hostfile --hosts-file', option: '--inventory' },
  { words: '--parallel --parallelism --concurrency --jobs --workers -f -j -p', option: '--forks' },
  { words: '--output --report', option: '--format' },
  { words: '--diff -D', option: '--steps', hint: '`converge plan --verbose` shows new definitions in full.' },
  { words: '--debug --trace', option: '--verbose' },
  { words: '--silent', option: '--quiet' },
  {
    words: '--force --override --approve --ignore-errors',
    option: '--allow',
    hint: '`converge help approvals` explains how to overrule a refusal.',
  },
  { words: '--syntax-check', hint: '`converge validate` checks the inventory and a playbook.' },
  { words: '--list-hosts', hint: '`converge hosts PATTERN` lists the hosts that a pattern selects.' },
  { words: '--playbook --file', hint: 'A playbook is an argument: `converge plan site.yaml`.' },
  { words: '--user --remote-user -u', hint: 'Set `ansible_user` in the inventory, or `User` in `~/.ssh/config`.' },
  {
    words: '--private-key --key-file --identity --port',
    hint: 'Set `ansible_ssh_private_key_file` or `ansible_port` in the inventory, or use `~/.ssh/config`.',
  },
  { words: '--become --sudo -b', hint: 'Set `ansible_become: true` in the inventory.' },
  {
    words: '--ask-become-pass --ask-pass -K -k',
    hint: 'converge asks for no password. `converge help secrets` explains `ansible_become_password`.',
  },
  {
    words: '--vault-password-file --vault-pass-file --vault-id --ask-vault-pass --ask-vault-password -J',
    hint: 'Set $ANSIBLE_VAULT_PASSWORD_FILE to the file with the password.',
  },
  {
    words: '--extra-vars --var --var-file --vars --set -e',
    hint: 'Set variables in the inventory; converge takes none on the command line.',
  },
]
