import { exitCodes } from '../../context/exit-code.ts'
import { defined } from '../../lib/defined.ts'
import { loadPlaybook } from '../../load/load.ts'
import { renderIssues } from '../../load/render-issues.ts'
import { judgeInventory } from '../../policy/judge-inventory.ts'
import type { Surroundings } from '../../report/overview-of-plan.ts'
import { overviewOfValidation } from '../../report/overview-of-validation.ts'
import type { Paint } from '../../report/paint.ts'
import { renderValidation, validationDocument } from '../../report/validation-text.ts'
import { deliver } from '../../run/deliver.ts'
import { openReported } from '../../run/open-reported.ts'
import { checkPlay } from '../../run/plays.ts'
import { withReports, withSelection } from '../options.ts'
import type { Verb } from '../verb.ts'

/** `converge validate`: files alone, and every rule that needs no host. */
export const verb: Verb = {
  configure(command, finish) {
    withReports(withSelection(command))
      .argument('[playbook]', 'a playbook to check too')
      .action((playbook, options) =>
        finish(async (context) => {
          const open = await openReported(context, options)
          const { fleet, hosts, selects, isClosed = false } = open
          const names = hosts.map(({ name }) => name)
          const plays = playbook === undefined ? undefined : await loadPlaybook(playbook, { isClosed })
          if (plays !== undefined && plays.warnings.length > 0)
            context.err.writeProse(`${await renderIssues(plays.warnings, context.err)}\n\n`)
          for (const play of plays?.plays ?? []) checkPlay(fleet, play)
          const services = hosts.flatMap((host) => host.services.filter(selects))
          const selected = new Set(services.map((service) => `${service.host}/${service.name}`))
          const isSelected = (host: string, service: string | undefined) =>
            service === undefined || selected.has(`${host}/${service}`)
          const verdicts = judgeInventory(fleet)
            .filter((verdict) => names.includes(verdict.host))
            .map((verdict) => ({
              host: verdict.host,
              refusals: verdict.refusals.filter((one) => isSelected(verdict.host, one.service)),
              warnings: verdict.warnings.filter((one) => isSelected(verdict.host, one.service)),
            }))
          const document = validationDocument({
            inventory: fleet.path,
            hosts: hosts.length,
            services: services.length,
            ...defined({ plays: plays?.plays.length }),
            verdicts,
          })
          const text = (paint: Paint) => renderValidation(document, { paint, verbose: options.verbose === true })
          const overview = (around: Surroundings) => overviewOfValidation(document, around)
          await deliver({ context, flags: options, open }, { document, text, overview })
          return document.summary.refusals > 0 ? exitCodes.refused : exitCodes.done
        }),
      )
  },
}
