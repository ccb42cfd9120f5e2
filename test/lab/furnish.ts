import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type LabHost, mustExec } from './host.ts'
import { writeKindBModel } from './kind-b/model.ts'
import { writeGiantMoeHeader, writeShardedTinyModel, writeTinyModel, writeTruncatedTinyModel } from './tiny-model.ts'

/** Where Docker's client is: as Debian has it, or where nothing looks for it. */
export type EnginePlace = 'usual' | 'unusual'

const KIND_B = fileURLToPath(new URL('kind-b', import.meta.url))

/** Writes every model once into the directory, as it will be on a host's /srv/models. */
export async function writeModels(directory: string): Promise<string> {
  const models = join(directory, 'models')
  await mkdir(join(models, 'tiny'), { recursive: true })
  await writeTinyModel(join(models, 'tiny/tiny.gguf'))
  await writeShardedTinyModel(join(models, 'tiny-sharded'), 'tiny', 3)
  await mkdir(join(models, 'broken'))
  await writeGiantMoeHeader(join(models, 'broken/giant-moe-header-only.gguf'))
  await writeTruncatedTinyModel(join(models, 'broken/truncated.gguf'))
  await writeKindBModel(join(models, 'flagship'))
  return models
}

/** Models; the Kind A image is in its engine already. */
export async function furnishNas(host: LabHost, models: string, place: EnginePlace): Promise<void> {
  await host.copyEachIn(models, ['tiny', 'tiny-sharded', 'broken'], '/srv/models')
  if (place === 'unusual') await mustExec(host, moveClients)
}

/** The tiny models, readable for all; its server is Debian's own. */
export async function furnishMetal(host: LabHost, models: string): Promise<void> {
  await host.copyEachIn(models, ['tiny', 'tiny-sharded'], '/srv/models')
}

/** What people call; what the engine itself needs in order to start a container (docker-init) stays where it looks for it. */
const moveClients = `mkdir -p /opt/container/bin
for tool in docker docker-compose; do [ ! -e "/usr/bin/$tool" ] || mv "/usr/bin/$tool" /opt/container/bin/ || exit 1; done`

/** The Kind B double where the spec's units expect it, and a model that it accepts, owned by `op`. */
export async function furnishBox(host: LabHost, models: string): Promise<void> {
  await host.copyEachIn(KIND_B, ['serve', 'double'], '/opt/kindb')
  await host.copyEachIn(models, ['flagship'], '/srv/models')
  await mustExec(host, 'chmod 0755 /opt/kindb/serve && chown -R op:op /srv/models/flagship')
}
