import type { ServerKindName } from '../model/names.ts'

/** placeholder until the settings tables are merged */
export function settingNamed(
  _kind: ServerKindName,
  name: string,
): { field: string; key?: 'key' | 'path'; ownDefault?: string } | undefined {
  const table: Record<string, { field: string; key?: 'key' | 'path'; ownDefault?: string }> = {
    '-c': { field: 'ctx_size' },
    '--ctx-size': { field: 'ctx_size' },
    '-m': { field: 'model' },
    '--model': { field: 'model' },
    '--host': { field: 'bind', ownDefault: '127.0.0.1' },
    '--port': { field: 'port', ownDefault: '8080' },
    '-a': { field: 'alias' },
    '--alias': { field: 'alias' },
    '-ngl': { field: 'n_gpu_layers' },
    '--n-gpu-layers': { field: 'n_gpu_layers' },
    '--api-key': { field: 'api_key', key: 'key' },
    '--api-key-file': { field: 'api_key', key: 'path' },
  }
  return table[name]
}
