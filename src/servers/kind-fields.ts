import type { Settings } from './setting.ts'

/** Fields of the inventory for servers of one kind, and the settings of the program that they stand for. */
export interface KindFields extends Settings {
  /** Fields that only some kinds have, as in the schema of the inventory. */
  readonly own: Readonly<Record<string, FieldSchema>>
  /** Prefix of variables that stand for flags; absent: there are none. */
  readonly flagVariables?: string
}

/** JSON Schema of one field. Its references (`#/$defs/text`) point into `schemas/inventory.schema.json`. */
export interface FieldSchema {
  readonly title: string
  /** Follows `Kind A: `. */
  readonly description: string
  readonly [keyword: string]: unknown
}
