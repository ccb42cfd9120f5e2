import { ConvergeError } from '../errors/converge-error.ts'
import type { Rendered, RenderInput, ServiceState } from '../managers/manager.ts'
import { unknown } from '../model/observed.ts'
import type { Finding } from '../policy/rule.ts'
import { factUnknown } from '../policy/words.ts'
import { homeOf } from '../simulate/account-of.ts'
import { renderInputOf, type ServiceCase } from '../simulate/service-case.ts'
import { compareFiles, type FileComparison } from './compare-files.ts'

/** The desired files, compared with those on the host. */
export interface DesiredFiles {
  readonly input: RenderInput
  readonly files: FileComparison
}

/** A finding if they cannot be rendered or compared. */
export function desiredFiles(subject: ServiceCase, state: ServiceState): DesiredFiles | Finding {
  const { facts, host, service, manager } = subject
  const input = renderInputOf(subject)
  if (input === undefined || !facts.layout.known) {
    const words = { host: host.name, decision: `what the definition of ${service.name} should contain` }
    const unseen = [facts.layout, homeOf(subject.service, facts)].find((one) => !one.known)
    return factUnknown('The account and its folders', unseen?.known === false ? unseen : unknown('not-gathered'), words)
  }
  const rendered = renderOrFind(() => manager.render(input))
  if ('why' in rendered) return rendered
  const files = compareFiles(subject, state, rendered, facts.layout.value)
  if (!files.known) {
    const words = { host: host.name, decision: `whether the key file of ${service.name} is up to date` }
    return factUnknown('The key file', files, words)
  }
  return { input, files: files.value }
}

/** Some formats cannot hold some keys; the manager throws in that case. */
function renderOrFind(render: () => Rendered): Rendered | Finding {
  try {
    return render()
  } catch (error) {
    if (!(error instanceof ConvergeError)) throw error
    return { code: 'KEY.INVALID', why: error.why, evidence: [error.summary], next: error.next }
  }
}
