declare module 'ms' {
  /** Milliseconds of one number with one unit; undefined where the text is something else. */
  function ms(text: string): number | undefined
  export = ms
}
