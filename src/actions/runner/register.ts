import { Code, ConnectError } from '@connectrpc/connect'
import postgres from 'postgres'
import type { Tx } from '../../db/sql.ts'
import type { Scope } from '../secrets/scope-store.ts'
import type { DeclareRequest, RegisterRequest } from './protocol/messages.ts'
import { registrationOf } from './registration-store.ts'
import type { CallContext, RunnerContext } from './runner-call.ts'
import { insertRunner, type RunnerDraft, type StoredRunner, updateDeclaration } from './runner-store.ts'
import { hashOf, newToken } from './token.ts'

/** A runner and its token. */
interface Registered {
  runner: StoredRunner
  token: string
}

/** Lengths of the columns, in characters. */
const maxLength = { name: 255, version: 64 }

/**
 * Registers a runner with a registration token, which stays valid.
 * @throws ConnectError invalid_argument, unauthenticated, permission_denied
 */
export async function register({ begin }: CallContext, request: RegisterRequest): Promise<Registered> {
  if (request.token === '' || request.name === '')
    throw new ConnectError('a runner needs a name and a registration token', Code.InvalidArgument)
  const token = newToken()
  const draft: Omit<RunnerDraft, keyof Scope> = {
    name: cut(request.name, maxLength.name),
    version: cut(request.version, maxLength.version),
    labels: labelsOf(request),
    ephemeral: request.ephemeral,
    cancels: request.capabilities.includes('cancelling'),
    tokenHash: hashOf(token),
  }
  try {
    const runner = await begin(async (tx) =>
      insertRunner(tx, { ...(await scopeOf(tx, request.token)), ...draft }, tx.now),
    )
    return { runner, token }
  } catch (error) {
    const isScopeDeleted =
      error instanceof postgres.PostgresError && error.constraint_name?.endsWith('_known')
    throw isScopeDeleted
      ? new ConnectError(
          'the owner or repository of the registration token was deleted',
          Code.PermissionDenied,
        )
      : error
  }
}

/** Stores the declaration of a starting runner. */
export async function declare(
  { sql, now, runner }: RunnerContext,
  request: DeclareRequest,
): Promise<StoredRunner> {
  const declared = {
    version: cut(request.version, maxLength.version),
    labels: distinct(request.labels),
    cancels: request.capabilities.includes('cancelling'),
  }
  await updateDeclaration(sql, runner.id, declared, now)
  return { ...runner, ...declared }
}

async function scopeOf(tx: Tx, token: string): Promise<Scope> {
  const registration = await registrationOf(tx, token)
  if (!registration) throw new ConnectError('the registration token is unknown', Code.Unauthenticated)
  const { owner_id, repository_id, is_active } = registration
  if (is_active) return { owner_id, repository_id }
  throw new ConnectError(
    'the registration token has been replaced: use the newest one',
    Code.PermissionDenied,
  )
}

function labelsOf({ labels, agentLabels, customLabels }: RegisterRequest): string[] {
  return distinct(labels.length > 0 ? labels : [...agentLabels, ...customLabels])
}

const distinct = (labels: readonly string[]) => [...new Set(labels.filter((label) => label !== ''))]

/** Cuts between code points, so that no character is split. */
const cut = (text: string, maxLength: number) =>
  text.length > maxLength ? [...text].slice(0, maxLength).join('') : text
