import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { embeddedPath } from '../embedded.ts'

/** Tokens read and made. */
export interface Generated {
  readonly read: number
  readonly made: number
}

/** The front's end of the pipe to its engine. The front does not restart it, and notices its exit only when a request needs it. */
export class EngineProcess {
  readonly ready: Promise<boolean>
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #waiting = new Map<number, (answer: Generated | undefined) => void>()
  readonly #gone: Promise<void>
  #alive = true
  #number = 0

  /** @param program of the front: the engine lies beside it */
  constructor(program: string, model: string) {
    // In a bundle it lies beside this as well, as JavaScript.
    const script =
      embeddedPath('./kind-b/engine.ts') ?? fileURLToPath(new URL(import.meta.url.replace(/^.*\./, './engine.'), import.meta.url))
    this.#child = spawn(process.execPath, [script, join(dirname(program), 'colibri'), '0'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, SNAP: model, SIMULATED_PROGRAM: program },
    })
    this.#child.stdin.on('error', () => undefined)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.ready = promise
    this.#gone = new Promise((gone) => {
      this.#child.once('exit', () => {
        this.#alive = false
        for (const answer of this.#waiting.values()) answer(undefined)
        resolve(false)
        gone()
      })
    })
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      if (line === 'READY') return resolve(true)
      const { number, ...generated }: Generated & { readonly number: number } = JSON.parse(line)
      this.#waiting.get(number)?.(generated)
      this.#waiting.delete(number)
    })
  }

  /** Undefined: the engine has exited. */
  generate(prompt: string, tokens: number): Promise<Generated | undefined> {
    if (!this.#alive) return Promise.resolve(undefined)
    const number = ++this.#number
    this.#child.stdin.write(`${JSON.stringify({ number, prompt, tokens })}\n`)
    return new Promise((resolve) => this.#waiting.set(number, resolve))
  }

  /** SIGTERM, and SIGKILL five seconds later. */
  async close(): Promise<void> {
    this.#child.kill('SIGTERM')
    const patience = setTimeout(() => this.#child.kill('SIGKILL'), 5000)
    await this.#gone
    clearTimeout(patience)
  }
}
