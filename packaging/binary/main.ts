/** What `converge demo` starts as processes of their own, by the path that `simulation/embedded.ts` gives them. */
const programs = new Map<string, () => Promise<unknown>>([
  ['/simulation/model-server.js', () => import('../../simulation/model-server.ts')],
  ['/simulation/kind-b/server.js', () => import('../../simulation/kind-b/server.ts')],
  ['/simulation/kind-b/engine.js', () => import('../../simulation/kind-b/engine.ts')],
])

/** The entry of the single binary. */
const program = programs.get(process.argv[2] ?? '')
if (program === undefined) {
  await import('../../src/main.ts')
} else {
  // Like `node PROGRAM …`.
  process.argv.splice(1, 1)
  await program()
}
