import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Writes a model directory that Kind B (and the double) accepts: configuration, tokenizer and something like weights. */
export async function writeKindBModel(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'config.json'), JSON.stringify({ model_type: 'glm_moe_dsa', num_hidden_layers: 2 }))
  await writeFile(join(directory, 'tokenizer.json'), JSON.stringify({ version: '1.0', model: { type: 'BPE' } }))
  await writeFile(join(directory, 'model.safetensors'), Buffer.alloc(4096))
}
