import { eventsOf } from '../../../src/background/domain-events.ts'
import type { StoredEvent } from '../../../src/db/outbox-events.ts'
import type { Pool } from '../../../src/db/sql.ts'
import { hookedKinds, messagesOf } from '../../../src/forge/webhooks/payload/messages.ts'

/** What webhooks are told of the queued events, in order. The events stay queued. */
// biome-ignore lint/suspicious/noExplicitAny: a test says by its assertions what it expects
export async function queuedMessages(pool: Pool): Promise<{ event: string; payload: any }[]> {
  const stored = await pool<StoredEvent[]>`
    select id, kind, payload, created_at, failures
    from forge.event
    order by id`
  return eventsOf(stored, hookedKinds).flatMap(messagesOf)
}
