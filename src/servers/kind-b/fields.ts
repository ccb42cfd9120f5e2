import type { KindFields } from '../kind-fields.ts'

export const fields: KindFields = {
  own: {
    ctx: { title: 'Context size', description: 'tokens (`CTX`).', default: 16_384, type: 'integer', minimum: 1 },
    ram_gb: {
      title: 'RAM budget in GiB',
      description: 'what this server may use; mandatory there, because without it the server takes most of what is free.',
      examples: [400],
      type: 'number',
      exclusiveMinimum: 0,
    },
    interpreter: {
      title: 'Interpreter',
      description: 'what runs `executable`.',
      default: '/usr/bin/python3',
      $ref: '#/$defs/absolute_path',
    },
    env_prefix: {
      title: 'Prefix of environment variables',
      description: '`SRV` makes `SRV_MODEL` and `SRV_API_KEY`.',
      default: 'SRV',
      type: 'string',
      pattern: '^[A-Z][A-Z0-9_]*$',
      patternErrorMessage: 'It starts environment variables: capital letters, digits and `_`.',
    },
    no_browser: {
      title: 'Pass --no-browser',
      description: 'whether `--no-browser` is passed; switch it off for programs that do not know the flag.',
      default: true,
      type: 'boolean',
    },
    allowed_hosts: {
      title: 'Allowed host names',
      description: 'names by which clients may address it.',
      default: [],
      examples: [['box.lan']],
      type: 'array',
      items: { $ref: '#/$defs/text' },
      uniqueItems: true,
    },
  },
  flags: {
    '--host': 'host',
    '--port': 'port',
    '--model': 'model',
    '--model-id': 'alias',
    '--ctx': 'ctx',
    '--ram': 'ram_gb',
    '--allowed-host': 'allowed_hosts',
  },
  harmlessFlags: { '--no-browser': 'no_browser' },
  variables: (prefix) => ({ [`${prefix}_MODEL`]: 'model', CTX: 'ctx', RAM_GB: 'ram_gb' }),
}
