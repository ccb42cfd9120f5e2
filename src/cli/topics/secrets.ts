import type { Topic } from './topic.ts'

export const topic: Topic = [
  'An inventory holds no secret. It says where converge finds one:',
  {
    head: ['Reference', 'The secret is'],
    rows: [
      ['{ env: NAME }', 'in an environment variable of the shell that runs converge'],
      ['{ file: PATH }', 'in a file on this machine'],
      ['{ command: [PROGRAM, …] }', 'what a program on this machine prints; it runs without a shell'],
      [
        '!vault',
        'in the inventory, encrypted by `ansible-vault encrypt_string`; the file that $ANSIBLE_VAULT_PASSWORD_FILE names holds the password',
      ],
    ],
  },
  'These fields take a reference: `api_key` of a service, `ansible_become_password`, `token` of a model source and `webhook` of a notification.',
  {
    language: 'yaml',
    code: `services:
  coder:
    api_key: { command: [op, read, op://house/coder/key] }`,
  },
  'A key reaches a host through stdin. The host keeps it in a file with mode 0600. Plans and reports print `***`.',
  'For an inventory that you have not reviewed, use `--no-secret-commands`. converge then runs no command and reads no key file.',
]
