import type { CatalogueEntry } from './entry.ts'

export const inventoryCodes = {
  'INVENTORY.INVALID': {
    exit: 65,
    title: 'the inventory is not valid',
    explain:
      'The inventory files contain mistakes; the message lists each with its file, line and column. No host was contacted and nothing was changed. Correct them and run `converge validate`. `converge schema --write` lets your editor check the files.',
  },
  'INVENTORY.NOT_FOUND': {
    exit: 64,
    title: 'no such inventory',
    explain: 'There is neither a directory nor a file at the path given with `-i` or in $CONVERGE_INVENTORY.',
  },
  'INVENTORY.CHANGED': {
    exit: 65,
    title: 'the inventory changed in the meantime',
    explain:
      'A file of the inventory changed, appeared or was removed after converge read the inventory, so converge did not overwrite it. Files that the same run had already written got their former content again, unless the message names them. Run the command again.',
  },
  'INVENTORY.EXISTS': {
    exit: 64,
    title: 'there is an inventory already',
    explain:
      '`converge init` writes a first inventory into an empty or new folder, and never changes one. `converge adopt` adds servers that already run to an existing inventory; add hosts to its hosts.yaml. To write another inventory, name its folder with `-i`.',
  },
  'INVENTORY.WHICH': {
    exit: 64,
    title: 'ambiguous choice of inventory',
    explain:
      'Without `-i` and $CONVERGE_INVENTORY, converge uses the only directory in `inventories/`. There is none, or there are several. converge does not guess, because it could change the wrong machines.',
  },
  'PLAYBOOK.INVALID': {
    exit: 65,
    title: 'the playbook is not valid',
    explain:
      'The playbook contains mistakes; the message lists each with its file, line and column. No host was contacted and nothing was changed. `converge schema --write` lets your editor check the file.',
  },
  'PLAYBOOK.NOT_FOUND': {
    exit: 64,
    title: 'no such playbook',
    explain: 'There is no file at the path given as the playbook.',
  },
  'INPUT.UNREADABLE': {
    exit: 65,
    title: 'a file or folder cannot be read',
    explain:
      'The operating system denied access, it is not a regular file, or it is not UTF-8 text. An unread file could contain anything, so converge does not continue without it.',
  },
  'INPUT.OUTSIDE': {
    exit: 65,
    title: 'a link leads out of the inventory',
    explain:
      'With `--facts` and with `--no-secret-commands`, converge treats the inventory as untrusted, as in a pull request. A link in it could lead to any file of this machine, whose text would then appear in a message. So converge opens nothing outside the real folder of the inventory. Replace the link with the file itself. If you trust the author of the inventory, `plan --facts … --run-secret-commands` follows links as usual.',
  },
  'INPUT.SYNTAX': {
    exit: 65,
    title: 'a file is not valid YAML',
    explain:
      'converge cannot read the text as one YAML document. Check its indentation, tabs, quotes and anchors, and whether a key occurs twice. Where the text has two possible meanings, converge accepts neither.',
  },
  'INPUT.UNKNOWN_KEY': {
    exit: 65,
    title: 'an unknown key',
    explain:
      'An unknown key is an error, because a typing mistake would otherwise silently leave a setting at its default. To allow variables of other tools, name them in `fleet.ignore_vars`. converge ignores variables of Ansible that it does not use, and all variables of hosts without services.',
  },
  'INPUT.VALUE': {
    exit: 65,
    title: 'a value has the wrong form',
    explain:
      'The value does not have the type, range or form that its key requires. The message says which; the schema has examples.',
  },
  'INPUT.MISSING': {
    exit: 65,
    title: 'a required setting is missing',
    explain:
      'After merging groups and host, a setting that the service requires is missing. Set it in any group of the host, or for the host itself.',
  },
  'INPUT.NAME': {
    exit: 65,
    title: 'a name cannot be used',
    explain:
      'Names become parts of labels, units, containers and host patterns, so each kind of name allows certain characters only. The message says which.',
  },
  'INPUT.REFERENCE': {
    exit: 65,
    title: 'a name refers to nothing',
    explain:
      'Either variables are given for a host or group that is not in the inventory, or a child group is named that is defined nowhere. These settings would have no effect, which is probably a mistake.',
  },
  'INPUT.CONFLICT': {
    exit: 65,
    title: 'two settings exclude each other',
    explain: 'Each setting is valid by itself. Together they cannot be applied, or different tools would read them differently.',
  },
  'INPUT.PLAIN_SECRET': {
    exit: 65,
    title: 'a file contains a secret in plain text',
    explain:
      'Inventories are read, copied and committed, so they must not contain keys. Use a reference instead: an environment variable, a file, a command, or a value encrypted with ansible-vault. If the file was ever shared, treat the key as disclosed and create a new one.',
  },
  'INPUT.TEMPLATE': {
    exit: 65,
    title: 'a template is not evaluated',
    explain:
      'The value contains `{{ … }}` or `{% … %}`. Ansible would evaluate it, but converge does not, and using the text as it is would be unexpected. Write the value itself, or mark literal text with `!unsafe`.',
  },
  'INPUT.AMBIGUOUS': {
    exit: 65,
    title: 'a plain value that tools read differently',
    explain:
      'A warning. Ansible reads YAML 1.1, where `yes`, `on`, `0644` or `1:30` are truth values and numbers. converge and most editors read YAML 1.2, where they are not. Use quotes, or `true` and `false`, which mean the same everywhere.',
  },
  'INPUT.NOT_READ': {
    exit: 65,
    title: 'a file is not read',
    explain:
      'A warning. The file is in the inventory and Ansible may read it, but converge does not: it reads `*.yaml` and `*.yml` only.',
  },
  'INPUT.PRECEDENCE': {
    exit: 65,
    title: 'Ansible would merge these variables the other way round',
    explain:
      'A warning. In converge the more specific group wins. In Ansible every file in group_vars/ overrides every group variable in hosts.yaml, even those of more specific groups. Keep the variables of groups in group_vars/, and both agree.',
  },
  'INPUT.DEPRECATED': {
    exit: 65,
    title: 'a former name is used',
    explain: 'A warning. The key still works, but it has a new name. A later version stops reading the old one. Rename the key.',
  },
  'INPUT.NO_EFFECT': {
    exit: 65,
    title: 'a setting has no effect',
    explain: 'A warning. The key is known and its value is valid, but nothing uses it at this place.',
  },
} as const satisfies Record<string, CatalogueEntry>
