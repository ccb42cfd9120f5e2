import { isManagedService } from '../../inventory/is-managed-service.ts'
import { stableJson } from '../../lib/stable-json.ts'
import type { ModelSource, Service } from '../../model/fleet.ts'
import type { HubTrouble, Listing, SourcedModel } from './order.ts'

/** Answers or failures of hubs, by `questionId`. Missing: not asked. */
export type HubAnswers = ReadonlyMap<string, Listing | HubTrouble>

/** Sources with the same id need one question to a hub, whichever files they select. */
export function questionId({ hub, repo, revision, token }: ModelSource): string {
  return stableJson({ hub, repo, revision, token })
}

/**
 * The models of a host that come from a hub and that a selected service loads. Selected services that load one path from one source share it;
 * a service that loads the path from another source is a rival, selected or not.
 */
export function sourcedModels(services: readonly Service[], selects: (service: Service) => boolean): readonly SourcedModel[] {
  const models = new Map<string, SourcedModel>()
  for (const service of services) {
    const { name, kind, model } = service
    if (model.source === undefined || !isManagedService(service)) continue
    const id = stableJson([kind, model.path, model.source])
    const { services: others = [] } = models.get(id) ?? {}
    models.set(id, { kind, path: model.path, source: model.source, services: selects(service) ? [...others, name] : others })
  }
  const rivalsOf = ({ path, source, kind }: SourcedModel) =>
    services.filter(
      (service) =>
        isManagedService(service) &&
        service.model.source !== undefined &&
        service.model.path === path &&
        stableJson([service.kind, service.model.source]) !== stableJson([kind, source]),
    )
  return [...models.values()]
    .filter((model) => model.services.length > 0)
    .map((model) => {
      const rivals = rivalsOf(model).map(({ name }) => name)
      return rivals.length === 0 ? model : { ...model, rivals }
    })
}
