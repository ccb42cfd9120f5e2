import type { CatalogueEntry } from './entry.ts'

export const endpointsCodes = {
  'ENDPOINTS.UNFIT': {
    exit: 65,
    title: 'an endpoint that the format cannot hold',
    explain:
      'The file of a client gives some characters a meaning: Open WebUI splits its lists at semicolons, LiteLLM takes `*` for a pattern, and Continue and llama-swap replace `${…}`. A name, an address or a key with such characters would become another one, so nothing was written. Give the model another `alias`, choose another key or format, or leave the service out with `--service`.',
  },
  'ENDPOINTS.KEYS': {
    exit: 64,
    title: 'keys without a file for them',
    explain:
      '`converge endpoints --with-keys` writes keys in the clear, so it writes them only into a regular file that `--out` names, which only your account can read (mode 0600). They never go to stdout, a pipe or a device: a terminal, a log or a CI job would keep them. Nor do they go into a file of another account, or a folder that every account may write into, such as `/tmp`. Without `--with-keys`, the list names the environment variable of each key, and goes anywhere.',
  },
} as const satisfies Record<string, CatalogueEntry>
