type Defined<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** An object without its undefined fields, for types with optional fields. */
export function defined<T extends object>(fields: T): Defined<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only optional fields are left out
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>
}
