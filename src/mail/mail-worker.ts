import { setTimeout as pause } from 'node:timers/promises'
import { createPoller, type Poller } from '../background/recurring.ts'
import { messageOf } from '../common/errors.ts'
import type { Pool } from '../db/sql.ts'
import type { Log } from '../log.ts'
import type { Letter } from './letter.ts'
import {
  claimedUntil,
  claimMails,
  delayMail,
  deleteMail,
  finishMail,
  type WaitingMail,
} from './mail-store.ts'
import type { Smtp } from './smtp.ts'

/** What the worker needs. */
interface MailDeps {
  pool: Pool
  clock: () => Date
  log: Log
  smtp: Smtp
  /** Domain of the ids of mails. */
  domain: string
  /** What a mail says; undefined: nobody is to get it. */
  write: (mail: WaitingMail) => Promise<Letter | undefined>
}

const minute = 60_000
/** Pauses before further attempts, in milliseconds; after the last one, in about two days, a mail is given up. */
const pauses = [minute, 5 * minute, 30 * minute, 120 * minute, 360 * minute, 720 * minute, 1440 * minute]

/** Mails that a process sends at a time: servers of mail count connections. */
const atOnce = 3

/** Milliseconds between checks, in case nobody tells of a new mail. */
const poll = 5_000

/** Time that mails under way get when the process stops, in milliseconds; others go on with them when their claim ends. */
const grace = 5_000

/**
 * Sends the mails that wait. Several processes can do so at the same time; each mail is sent by one of them, and again only
 * after a failure or the end of the process that sent it.
 */
export function createMailWorker(deps: MailDeps): Poller {
  const { pool, clock, log } = deps
  const work = async (isRunning: () => boolean) => {
    while (isRunning()) {
      const now = clock()
      const mails = await claimMails(pool, { now, until: claimedUntil(now), count: atOnce })
      if (mails.length === 0) return
      await Promise.all(mails.map((mail) => send(deps, mail)))
    }
  }
  const poller = createPoller({ task: 'send mails', poll, log, work })
  const start = () => {
    const { stop } = poller.start()
    return { stop: () => Promise.race([stop(), pause(grace, undefined, { ref: false })]) }
  }
  return { ...poller, start }
}

/** The log gets no text, and the recipient only where the server names it in an answer. */
async function send(deps: MailDeps, mail: WaitingMail): Promise<void> {
  const { pool, clock, log, smtp, domain } = deps
  try {
    const letter = await deps.write(mail)
    if (!letter) return await deleteMail(pool, mail.id)
    const sent = await smtp.send({ to: mail.recipient, id: `mail.${mail.id}`, domain, letter })
    const now = clock()
    const fields = { mail: mail.id, kind: mail.kind, attempt: mail.attempts }
    if (sent.ok) {
      await finishMail(pool, mail.id, { state: 'sent', error: '', now })
      return log.debug('mail sent', fields)
    }
    const { isFinal, message: error } = sent.fault
    const wait = isFinal ? undefined : pauses[mail.attempts - 1]
    if (wait === undefined) await finishMail(pool, mail.id, { state: 'failed', error, now })
    else await delayMail(pool, mail.id, new Date(now.getTime() + wait), error)
    log.warn(wait === undefined ? 'mail given up' : 'mail delayed', { ...fields, error })
  } catch (error) {
    log.error('cannot send a mail', { mail: mail.id, error: messageOf(error) })
  }
}
