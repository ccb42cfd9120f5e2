type Defined<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** An object without the fields that are undefined: for types in which a field is either there or absent. */
export function defined<T extends object>(fields: T): Defined<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is left out is what the type has optional
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>
}
