import type { WebhookFormat } from '../../model/fleet.ts'
import { discord } from './discord.ts'
import type { Format } from './format.ts'
import { generic } from './generic.ts'
import { ntfy } from './ntfy.ts'
import { slack } from './slack.ts'

/** The formats of webhooks. */
export const formats: Readonly<Record<WebhookFormat, Format>> = { generic, slack, discord, ntfy }
