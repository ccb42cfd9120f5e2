import { modelPath, positiveNumber, singleName, text, wholeNumber } from '../readings.ts'
import type { Setting } from '../setting.ts'

/** Names from colibrì's `docs/SETTINGS.md` and observed behaviour. */
export const settings: readonly Setting[] = [
  { field: 'host', flags: ['--host'], read: text, always: true },
  { field: 'port', flags: ['--port'], read: wholeNumber(1, 65_535), always: true },
  { field: 'model', flags: ['--model'], variable: '*_MODEL', read: modelPath, once: true },
  { field: 'alias', flags: ['--model-id'], variable: '*_MODEL_ID', harmless: 'env', read: singleName, always: true },
  { field: 'ctx', flags: ['--ctx'], variable: 'CTX', read: wholeNumber(1), always: true },
  { field: 'ram_gb', flags: ['--ram'], variable: 'RAM_GB', read: positiveNumber },
  { field: 'allowed_hosts', flags: ['--allowed-host'], adds: true, read: text },
  {
    field: 'no_browser',
    flags: ['--no-browser'],
    harmless: 'everywhere',
    switches: { '--no-browser': true },
    read: () => ({ why: 'the flag has no value' }),
  },
  { field: 'api_key', flags: ['--api-key'], variable: '*_API_KEY', harmless: 'everywhere', key: 'key', read: text },
]
