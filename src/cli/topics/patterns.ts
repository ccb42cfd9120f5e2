import type { Topic } from './topic.ts'

export const topic: Topic = [
  "`--limit`, `converge hosts` and the `hosts:` of a play take a host pattern. The grammar is Ansible's.",
  {
    head: ['Pattern', 'Selects'],
    rows: [
      ['all', 'every host'],
      ['nas', 'the host or group `nas`'],
      ["'mac-*'", 'names that match the glob'],
      ["'~^mac-[0-9]+$'", 'names that match the regular expression'],
      ['nas,box', 'both; `:` means the same as `,`'],
      ["'macs:&small'", 'hosts in both groups'],
      ["'all:!box'", 'every host except `box`'],
      ["'macs[0]'", 'the first host of the group; `[-1]` is the last, `[0:2]` are the first three'],
      ['@hosts.txt', 'with `--limit`: the patterns in a file, one per line'],
      ['@failed', 'with `--limit`: hosts where the last run failed, was not verified, or has an unknown outcome'],
      [
        '@unreached',
        'with `--limit`: hosts on which the last run did not begin: it could not connect, or ended before it got to them',
      ],
    ],
  },
  'Put quotes around a pattern, because the shell interprets `!`, `&`, `*` and `~`. The order of the terms does not matter: converge takes the union of the plain terms, then keeps what each `&` selects, then removes what each `!` selects.',
  'An empty pattern, an unknown name and a pattern that matches no host are errors (exit code 64). None of them means `all`.',
  '`converge hosts PATTERN` lists the hosts that a pattern selects.',
]
