import { exitCodes } from '../../context/exit-code.ts'
import { renderDoctor } from '../../report/doctor-text.ts'
import { deliver } from '../../run/deliver.ts'
import { examine } from '../../run/doctor/doctor.ts'
import { withInventory, withOutput } from '../options.ts'
import { accountOf } from '../schedule/account-of.ts'
import type { Verb } from '../verb.ts'

/** `converge doctor`: what this machine needs to run converge. */
export const verb: Verb = {
  configure(command, finish) {
    withOutput(withInventory(command)).action((options) =>
      finish(async (context) => {
        const document = await examine(context, options, accountOf(context))
        await deliver({ context, flags: options }, { document, text: (paint) => renderDoctor(document, paint) })
        return document.verdict === 'problem' ? exitCodes.changes : exitCodes.done
      }),
    )
  },
}
