import type { KindFields } from '../kind-fields.ts'
import { settings } from './settings.ts'

export const fields: KindFields = {
  own: {
    ctx: { title: 'Context size', description: 'the number of tokens (`CTX`).', default: 16_384, type: 'integer', minimum: 1 },
    ram_gb: {
      title: 'RAM budget in GiB',
      description: 'the RAM that the server uses at most. Required, because the server otherwise takes most of the free RAM.',
      examples: [400],
      type: 'number',
      exclusiveMinimum: 0,
    },
    interpreter: {
      title: 'Interpreter',
      description: 'the program that runs `executable`.',
      default: '/usr/bin/python3',
      $ref: '#/$defs/absolute_path',
    },
    env_prefix: {
      title: 'Prefix of environment variables',
      description: 'the start of names: `SRV` gives `SRV_MODEL` and `SRV_API_KEY`.',
      default: 'SRV',
      type: 'string',
      pattern: '^[A-Z][A-Z0-9_]*$',
      patternErrorMessage: 'It starts environment variables: capital letters, digits and `_`.',
    },
    no_browser: {
      title: 'Pass --no-browser',
      description: 'pass `--no-browser`. Use `false` for a program that does not know the flag.',
      default: true,
      type: 'boolean',
    },
    allowed_hosts: {
      title: 'Allowed host names',
      description: 'host names that clients can use for it.',
      default: [],
      examples: [['box.lan']],
      type: 'array',
      items: { $ref: '#/$defs/text' },
      uniqueItems: true,
    },
  },
  settings,
}
