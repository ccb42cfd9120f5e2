import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ending } from './arguments.ts'

/** A folder that a Kind B takes for a model. Its weights are said to have so many bytes, and take no room. */
export function writeModelFolder(folder: string, bytes = 4096): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ model_type: 'glm_moe_dsa', num_hidden_layers: 2 }))
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify({ version: '1.0', model: { type: 'BPE' } }))
  writeFileSync(join(folder, 'model.safetensors'), '')
  truncateSync(join(folder, 'model.safetensors'), bytes)
}

/** Model type and the id under which its model is listed where no other is given. */
const families: Readonly<Record<string, string>> = {
  glm_moe_dsa: 'glm-5.2-colibri',
  deepseek_v4: 'deepseek-v4-colibri',
  qwen3_6_moe: 'qwen3.6-colibri',
}

/**
 * The default id of the model; what the program tests before its engine is started.
 *
 * @throws Ending where it cannot be served
 */
export function defaultIdOf(model: string): string {
  if (model === '') throw new Ending(1, 'no model directory given.\npass --model <dir>, or set SRV_MODEL=<dir>\n')
  if (!existsSync(model) || !statSync(model).isDirectory())
    throw new Ending(1, `model not found: ${model}\nset SRV_MODEL or use --model\n`)
  if (!existsSync(join(model, 'tokenizer.json'))) throw new Ending(1, `tokenizer.json is missing from ${model}\n`)
  const type = modelType(join(model, 'config.json'))
  const id = families[type]
  if (id === undefined) throw new Ending(1, `unsupported model: unsupported model_type: ${type}\n`)
  return id
}

function modelType(path: string): string {
  if (!existsSync(path)) throw new Ending(1, `unsupported model: cannot read config.json: ${path}\n`)
  const { model_type: type = '' }: { model_type?: string } = JSON.parse(readFileSync(path, 'utf8'))
  return type
}

export function hasWeights(model: string): boolean {
  return readdirSync(model).some((file) => file.endsWith('.safetensors') && statSync(join(model, file)).size > 0)
}
