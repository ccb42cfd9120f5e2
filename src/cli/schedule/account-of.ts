import { join } from 'node:path'
import type { Context } from '../../context/context.ts'
import type { Account } from '../../schedulers/job.ts'

/** Whose crontab, units and agents these are. */
export function accountOf({ env, home }: Pick<Context, 'env' | 'home'>): Account {
  const given = env['XDG_CONFIG_HOME']
  return {
    uid: process.getuid?.() ?? 0,
    home,
    configHome: given?.startsWith('/') === true ? given : join(home, '.config'),
  }
}
