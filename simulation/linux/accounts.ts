import { readFileSync } from 'node:fs'

export interface Account {
  readonly name: string
  readonly uid: number
  readonly home: string
}

/** The accounts of a `passwd`. */
export function accountsIn(passwd: string): readonly Account[] {
  return readFileSync(passwd, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [name = '', , uid = '', , , home = ''] = line.split(':')
      return { name, uid: Number(uid), home }
    })
}
