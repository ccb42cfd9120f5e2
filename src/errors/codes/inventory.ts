import type { CatalogueEntry } from './entry.ts'

export const inventoryCodes = {
  'INVENTORY.INVALID': {
    exit: 65,
    title: 'the inventory is not valid',
    explain:
      'The files of the inventory hold mistakes; each is listed with its file, line and column. Nothing was contacted and nothing was changed. Correct them and run `converge validate`. The shape of the files is described in schemas/inventory.schema.json, which editors understand as well.',
  },
  'INVENTORY.NOT_FOUND': {
    exit: 64,
    title: 'there is no such inventory',
    explain: 'Neither a directory nor a file is at the path given with `-i` or in $CONVERGE_INVENTORY.',
  },
  'INVENTORY.WHICH': {
    exit: 64,
    title: 'it is not clear which inventory is meant',
    explain:
      'Without `-i` and without $CONVERGE_INVENTORY converge takes the only directory in `inventories/`. There is none, or there are several, and guessing between them could change the wrong machines.',
  },
  'PLAYBOOK.INVALID': {
    exit: 65,
    title: 'the playbook is not valid',
    explain:
      'The playbook holds mistakes; each is listed with its file, line and column. Nothing was contacted and nothing was changed. The shape is described in schemas/playbook.schema.json.',
  },
  'PLAYBOOK.NOT_FOUND': {
    exit: 64,
    title: 'there is no such playbook',
    explain: 'No file is at the path given as the playbook.',
  },
  'INPUT.UNREADABLE': {
    exit: 65,
    title: 'a file or folder cannot be read',
    explain:
      'The operating system refused it, it is not a plain file, or its bytes are not UTF-8 text. What cannot be read could hold anything, so converge does not go on without it.',
  },
  'INPUT.OUTSIDE': {
    exit: 65,
    title: 'a link leads out of the inventory',
    explain:
      'With `--facts` and with `--no-secret-commands` an inventory is taken for one that may come from somebody else, as in a pull request: a link in it could lead to any file of this machine, whose text would then be in a message. So nothing outside of its real folder is opened. Put the file itself where the link is; where you trust who wrote the inventory, `plan --facts … --run-secret-commands` reads it as ever.',
  },
  'INPUT.SYNTAX': {
    exit: 65,
    title: 'a file is not the YAML that is expected',
    explain:
      'The text cannot be understood as one YAML document: indentation, tabs, quotes, anchors, or a key that stands there twice. Where two readings are possible, converge takes neither.',
  },
  'INPUT.UNKNOWN_KEY': {
    exit: 65,
    title: 'a key is not known',
    explain:
      'An unknown key is an error, because a typing mistake would otherwise silently leave a setting at its default. Variables of other tools can be allowed by name in `fleet.ignore_vars`. Those of Ansible that converge does not go by, and whatever stands at hosts without services, are passed over.',
  },
  'INPUT.VALUE': {
    exit: 65,
    title: 'a value has the wrong form',
    explain: 'The value is not of the type, range or form that its key takes. The message says which; the schema has examples.',
  },
  'INPUT.MISSING': {
    exit: 65,
    title: 'something needed is missing',
    explain:
      'After merging groups and host, something is missing without which the service cannot be described. It may stand in any group of the host or in the host itself.',
  },
  'INPUT.NAME': {
    exit: 65,
    title: 'a name cannot be used',
    explain:
      'Names become parts of labels, units, containers and host patterns, so each sort of name has its own alphabet. The message says which.',
  },
  'INPUT.REFERENCE': {
    exit: 65,
    title: 'a name refers to nothing',
    explain:
      'Variables are given for a host or group that is not in the inventory, or a child group is named that is defined nowhere. What stands there would have no effect, which is hardly what was meant.',
  },
  'INPUT.CONFLICT': {
    exit: 65,
    title: 'two settings exclude each other',
    explain: 'Each is fine by itself; together they cannot be carried out, or would be read differently by different tools.',
  },
  'INPUT.PLAIN_SECRET': {
    exit: 65,
    title: 'a secret stands in a file in plain text',
    explain:
      'Inventories are read by people, copied and committed, so a key never stands in one. Give a reference instead: an environment variable, a file, a command, or a value encrypted with ansible-vault. Treat the key as known to others and make a new one if the file was ever shared.',
  },
  'INPUT.TEMPLATE': {
    exit: 65,
    title: 'a template is not evaluated',
    explain:
      'The value holds `{{ … }}` or `{% … %}`. Ansible would evaluate it, converge does not, and taking the text as it stands would surprise. Write the value itself, or mark text that is meant literally with `!unsafe`.',
  },
  'INPUT.AMBIGUOUS': {
    exit: 65,
    title: 'a plain value is read differently by different tools',
    explain:
      'A warning. YAML 1.1, which Ansible reads, takes `yes`, `on`, `0644` or `1:30` for truth values and numbers; YAML 1.2, which converge and most editors read, does not. Quotes or `true` and `false` mean the same everywhere.',
  },
  'INPUT.NOT_READ': {
    exit: 65,
    title: 'a file is not read',
    explain:
      'A warning. It lies in the inventory, Ansible may read it, and converge does not: it reads `*.yaml` and `*.yml` only.',
  },
  'INPUT.PRECEDENCE': {
    exit: 65,
    title: 'Ansible would merge this the other way round',
    explain:
      'A warning. In converge the more specific group wins. Ansible lets every file in group_vars/ override every group variable inside hosts.yaml, those of more specific groups too. Keep the variables of groups in group_vars/, and both agree.',
  },
  'INPUT.NO_EFFECT': {
    exit: 65,
    title: 'a setting has no effect',
    explain: 'A warning. The key is known and its value valid, but nothing uses it where it stands.',
  },
} as const satisfies Record<string, CatalogueEntry>
