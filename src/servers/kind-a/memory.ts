import type { GgufHeader, ModelFiles } from '../../model/facts.ts'
import type { Service } from '../../model/fleet.ts'
import type { MemoryNeed } from '../../model/launch.ts'
import { known, type Observed, unknown } from '../../model/observed.ts'
import type { Started } from '../as-started.ts'
import { lastOption } from '../option.ts'

const bytesPerMib = 1024 ** 2
/** `--cache-ram`: saved prompts in ordinary RAM, in addition to the KV cache, unless disabled. */
const defaultCacheRamMib = 8192
const computeShare = 0.05
/** Bytes per element by `--cache-type-k` and `-v`: blocks of 32 with their scales. */
const elementBytes: Readonly<Record<string, number>> = {
  f32: 4,
  f16: 2,
  bf16: 2,
  q8_0: 34 / 32,
  q5_1: 24 / 32,
  q5_0: 22 / 32,
  q4_1: 20 / 32,
  q4_0: 18 / 32,
  iq4_nl: 18 / 32,
}

/**
 * Memory of `llama-server`: weights as page cache; KV cache, prompt cache and compute buffers as its own memory. The KV cache has the size of
 * the whole context once, however many slots share or split it (observed with build 11669). Sliding windows and compressed attention only
 * make it smaller than this estimate.
 */
export function kindAMemory(service: Service, model: Observed<ModelFiles | null>): Observed<MemoryNeed> {
  if (!model.known) return model
  if (model.value === null) return unknown('unreadable', `${service.model.path} does not exist`)
  const { files, header } = model.value
  if (!header.known) return unknown(header.because, `the GGUF header could not be read${because(header.detail)}`)
  const kv = kvCache(service, header.value)
  if (!kv.known) return kv
  const cacheRam = cacheRamBytes(service)
  if (!cacheRam.known) return cacheRam
  const weights = files.reduce((sum, file) => sum + file.bytes, 0)
  const compute = Math.ceil(computeShare * (weights + kv.value.bytes))
  return known({
    hardBytes: kv.value.bytes + cacheRam.value + compute,
    softBytes: weights,
    parts: [
      { name: 'weights', bytes: weights, from: `${files.length} ${files.length === 1 ? 'file' : 'files'}, page cache` },
      { name: 'KV cache', ...kv.value },
      { name: 'prompt cache', bytes: cacheRam.value, from: cacheRamWords(service) },
      { name: 'compute buffers', bytes: compute, from: '5 % of weights and KV cache' },
    ],
  })
}

function kvCache(service: Service, header: GgufHeader): Observed<{ readonly bytes: number; readonly from: string }> {
  const shape = kvShape(header)
  if (!shape.known) return shape
  const context = contextTokens(service, header)
  if (context === undefined)
    return unknown('unreadable', 'the context size is the default of the model, which its header does not contain')
  const typeK = option(service, ['--cache-type-k', '-ctk', 'LLAMA_ARG_CACHE_TYPE_K']) ?? 'f16'
  const typeV = option(service, ['--cache-type-v', '-ctv', 'LLAMA_ARG_CACHE_TYPE_V']) ?? 'f16'
  const bytesK = elementBytes[typeK]
  const bytesV = elementBytes[typeV]
  if (bytesK === undefined || bytesV === undefined) return unknown('unreadable', `KV cache type ${typeK} or ${typeV} is unknown`)
  const { layers, heads, keyLength, valueLength } = shape.value
  const bytes = Math.ceil(layers * context * heads * (keyLength * bytesK + valueLength * bytesV))
  return known({
    bytes,
    from: `${context} tokens, ${layers} layers, ${heads} KV heads, ${typeK === typeV ? typeK : `${typeK}/${typeV}`}`,
  })
}

interface KvShape {
  readonly layers: number
  readonly heads: number
  readonly keyLength: number
  readonly valueLength: number
}

/** Fills gaps in a header like llama.cpp: as many KV heads as heads, head size = embedding / heads. */
function kvShape(header: GgufHeader): Observed<KvShape> {
  const { blockCount, headCount, embeddingLength } = header
  const heads = header.headCountKv ?? headCount
  const headSize = embeddingLength === undefined || headCount === undefined ? undefined : embeddingLength / headCount
  const keyLength = header.keyLength ?? headSize
  const valueLength = header.valueLength ?? headSize
  if (blockCount === undefined || heads === undefined || keyLength === undefined || valueLength === undefined)
    return unknown('unreadable', 'the GGUF header does not contain the number of layers and heads')
  return known({ layers: blockCount, heads, keyLength, valueLength })
}

/** Tokens; 0 means the model's own context length. */
function contextTokens(service: Service, header: GgufHeader): number | undefined {
  const given = Number(option(service, ['--ctx-size', '-c']) ?? service.ctxSize)
  return given > 0 ? given : header.contextLength
}

const cacheRamNames = ['--cache-ram', '-cram', 'LLAMA_ARG_CACHE_RAM']

/** The limit of its saved prompts in bytes: the part of its need that does not depend on the model. */
export function cacheRamBytes(service: Service): Observed<number> {
  const given = option(service, cacheRamNames)
  const mib = given === undefined ? defaultCacheRamMib : Number(given)
  if (Number.isInteger(mib) && mib >= 0) return known(mib * bytesPerMib)
  return unknown('unreadable', `--cache-ram ${given} is no limit`)
}

function cacheRamWords(service: Service): string {
  const given = option(service, cacheRamNames)
  return given === undefined ? `--cache-ram, ${defaultCacheRamMib} by default` : `--cache-ram ${given}`
}

/** An option from `extra_args`, or its environment variable from `extra_env`; a flag takes precedence. */
function option({ extraArgs, extraEnv }: Service, names: readonly string[]): string | undefined {
  const twin = names.map((name) => extraEnv[name]).find((value) => value !== undefined)
  return lastOption(extraArgs, names) ?? twin
}

function because(detail: string | undefined): string {
  return detail === undefined ? '' : `: ${detail}`
}

/** A running server as the service it was started as, as far as memory is concerned: the model supplies what its arguments omit. */
export function asStarted(service: Service, { argv, env = service.extraEnv }: Started): Service {
  return { ...service, ctxSize: Number(env['LLAMA_ARG_CTX_SIZE'] ?? 0), extraArgs: argv, extraEnv: env }
}
