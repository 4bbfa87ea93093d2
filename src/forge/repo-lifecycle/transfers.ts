import type * as v from 'valibot'
import { endWorkForOwner } from '../../actions/trigger/owner-change.ts'
import type { Tx } from '../../db/sql.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { forbidden, found, notFound, unprocessable } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { json } from '../../http/route/sends.ts'
import { type Account, accountById, accountByName } from '../accounts/account-store.ts'
import { refuseSystem } from '../accounts/system-account.ts'
import { record, repositoryTarget } from '../audit/audit-trail.ts'
import { maySee } from '../auth/access.ts'
import { deleteTeamsOfRepository, insertTeamRepository } from '../collaborators/team-repo-store.ts'
import { membershipOf } from '../orgs/membership-store.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { repoOwner, type SignedInOnRepository, transferParty } from '../repos/access.ts'
import { deleteCollaborator, levelOfAccount } from '../repos/collaborator-store.ts'
import { moveMisplaced } from '../repos/directory.ts'
import { TransferRepoOption } from '../repos/repo.option.ts'
import { printRepository, Repository } from '../repos/repo.shape.ts'
import {
  lockRepository,
  repositoryById,
  type Repository as Stored,
  updateOwner,
} from '../repos/repo-store.ts'
import { type ForgeContext, route } from '../route.ts'
import { emitTransferOffer } from '../watching/events.ts'
import { endUnreadableWatches, watchAutomatically, watchThroughTeams } from '../watching/watch-store.ts'
import { enforceLimit } from './creation/creation.ts'
import { createsIn, deleteTransfer, insertTransfer, teamsAmong, transferOf } from './transfer-store.ts'

export const repoTransfer = route('POST /repos/{owner}/{repo}/transfer', {
  summary:
    'Transfer a repository: 202 at once if the caller may create repositories there, else 201 with an offer',
  access: repoOwner(),
  body: TransferRepoOption,
  fails: [404, 409, 422],
  returns: json(202, Repository),
  also: [201],
  handler: async (context) => {
    const { caller, body, sql } = context
    const recipient = await recipientNamed(context, body)
    const isDirect =
      caller.me.is_admin ||
      recipient.id === caller.me.id ||
      (recipient.kind === 'organization' && (await createsIn(sql, recipient.id, caller.me.id)))
    if (!isDirect) return new ReplyWith(await offerTo(context, recipient), { status: 201 })
    const moving = context.begin(async (tx) => {
      const row = found(await lockRepository(tx, caller.repo.id))
      await deleteTransfer(tx, row.id)
      return moveTo(tx, context, row, { recipient, teams: body.team_ids })
    })
    return moveAndPrint(context, moving, recipient)
  },
})

export const acceptRepoTransfer = route('POST /repos/{owner}/{repo}/transfer/accept', {
  summary: 'Accept the transfer of a repository',
  access: transferParty(),
  fails: [422],
  returns: json(202, Repository),
  handler: async (context) => {
    const { caller, sql, begin } = context
    const { recipient_id } = found(await transferOf(sql, caller.repo.id, caller.me.id))
    const recipient = found(await accountById(sql, recipient_id))
    const moving = begin(async (tx) => {
      const row = found(await lockRepository(tx, caller.repo.id))
      const transfer = found(await transferOf(tx, row.id, caller.me.id))
      if (transfer.recipient_id !== recipient.id) throw notFound()
      if (!transfer.is_recipient && !caller.me.is_admin) throw notRecipient()
      await deleteTransfer(tx, row.id)
      return moveTo(tx, context, row, { recipient, teams: transfer.team_ids })
    })
    return moveAndPrint(context, moving, recipient)
  },
})

export const rejectRepoTransfer = route('POST /repos/{owner}/{repo}/transfer/reject', {
  summary: 'Reject the transfer of a repository, or withdraw the offer',
  access: transferParty(),
  returns: json(200, Repository),
  handler: async (context) => {
    const { caller, begin } = context
    const row = await begin(async (tx) => {
      const row = found(await lockRepository(tx, caller.repo.id))
      const transfer = found(await transferOf(tx, row.id, caller.me.id))
      if (!transfer.is_recipient && caller.repo.level < LEVELS.owner) throw notRecipient()
      await deleteTransfer(tx, row.id)
      await record(tx, context, {
        action: 'repository.transfer_rejected',
        target: repositoryTarget(row, caller.subject),
      })
      return row
    })
    return printForCaller(context, row)
  },
})

type TransferContext = ForgeContext<SignedInOnRepository>

/** @throws Problem 404 unknown or invisible to the caller, 422 already the owner, or teams of another owner */
async function recipientNamed(
  { caller, sql }: TransferContext,
  { new_owner: name, team_ids: teams }: v.InferOutput<typeof TransferRepoOption>,
): Promise<Account> {
  const missing = 'The new owner does not exist or cannot be found'
  const account = found(await accountByName(sql, name), missing)
  const is_member = (await membershipOf(sql, account.id, caller.me.id)) !== undefined
  if (!maySee(account, { me: caller.me, is_member })) throw notFound(missing)
  if (account.id === caller.subject.id) throw unprocessable('the repository belongs to that owner already')
  refuseSystem(account)
  const teamsOfOwner = await teamsAmong(sql, account.id, teams)
  const foreign = teams.find((team) => !teamsOfOwner.includes(team))
  if (foreign !== undefined) throw unprocessable(`team does not belong to the new owner [id: ${foreign}]`)
  return account
}

/** @throws Problem 409 offered already */
async function offerTo(
  context: TransferContext & { body: { team_ids: number[] } },
  recipient: Account,
): Promise<Repository> {
  const { caller, body, begin } = context
  const offering = begin(async (tx) => {
    const row = found(await lockRepository(tx, caller.repo.id))
    const draft = { repository: row.id, recipient: recipient.id, actor: caller.me.id, teams: body.team_ids }
    await insertTransfer(tx, draft)
    await emitTransferOffer(tx, row.id)
    const details = { to: recipient.name }
    const target = repositoryTarget(row, caller.subject)
    await record(tx, context, { action: 'repository.transfer_offered', target, details })
    return row
  })
  const row = await mapConstraints(offering, {
    repository_transfer_pkey: [409, 'the repository is offered to somebody already'],
  })
  return printForCaller(context, row)
}

/** Transfers a locked repository to its new owner, who then watches it. @throws Problem 403 too many */
async function moveTo(
  tx: Tx,
  context: TransferContext,
  old: Stored,
  { recipient, teams }: { recipient: Account; teams: readonly number[] },
): Promise<Stored> {
  const { me, subject } = context.caller
  await enforceLimit(tx, me, recipient)
  const row = await updateOwner(tx, old, recipient.id)
  await deleteCollaborator(tx, row.id, recipient.id)
  // Otherwise the teams would have the repository again if a later transfer returned it.
  await deleteTeamsOfRepository(tx, row.id)
  for (const team of teams) await insertTeamRepository(tx, team, row.id)
  await watchAutomatically(tx, row.id, recipient.kind === 'organization' ? me.id : recipient.id)
  await watchThroughTeams(tx, { repository: row.id })
  await endUnreadableWatches(tx, { repository: row.id })
  const ended = await endWorkForOwner(tx, row.id)
  const details = { from: subject.name, to: recipient.name, ...ended }
  await record(tx, context, {
    action: 'repository.transferred',
    target: repositoryTarget(row, recipient),
    details,
  })
  return row
}

/**
 * Moves the directory after the row, and prints the repository in its new place.
 * @throws Problem 422 the owner has a repository of this name
 */
async function moveAndPrint(
  context: TransferContext,
  moving: Promise<Stored>,
  owner: Account,
): Promise<Repository> {
  const { caller, sql, from } = context
  const taken = `repository already exists [uname: ${owner.name}, name: ${caller.repo.name}]`
  const row = await mapConstraints(moving, { repository_name_unique: [422, taken] })
  await moveMisplaced(context, owner.id)
  const level = await levelOfAccount(sql, row.id, caller.me.id)
  const now = (await repositoryById(sql, row.id)) ?? row
  return printRepository(now, owner, { host: from.host, level, known: true })
}

const printForCaller = ({ caller: { subject, repo }, from: { host } }: TransferContext, row: Stored) =>
  printRepository(row, subject, { host, level: repo.level, known: true })

const notRecipient = () => forbidden('user does not have permission to accept or reject this transfer')
