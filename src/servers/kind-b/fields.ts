import type { KindFields } from '../kind-fields.ts'

export const fields: KindFields = {
  own: ['ctx', 'ram_gb', 'interpreter', 'env_prefix', 'no_browser', 'allowed_hosts'],
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
