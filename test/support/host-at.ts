import type { Connection, Host } from '../../src/model/fleet.ts'

/** A host of an inventory without services. */
export function hostAt(name: string, connection: Partial<Connection>): Host {
  return {
    name,
    groups: [],
    connection: { transport: 'ssh', address: '127.0.0.1', sshArgs: [], become: false, becomeUser: 'root', ...connection },
    services: [],
    source: { file: 'test', line: 1, column: 1, keys: {} },
  }
}
