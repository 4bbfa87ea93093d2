import { Code, ConnectError } from '@connectrpc/connect'
import postgres from 'postgres'
import type { Scope } from '../run/scope.ts'
import type { DeclareRequest, RegisterRequest } from './protocol/messages.ts'
import { registrationOf } from './registration-store.ts'
import type { CallContext, RunnerContext } from './runner-call.ts'
import { insertRunner, type RunnerDraft, type StoredRunner, updateDeclared } from './runner-store.ts'
import { hashOf, newToken } from './token.ts'

/** A runner, and the token it proves itself with from now on. */
interface Registered {
  runner: StoredRunner
  token: string
}

/** Sizes of the columns, in characters. */
const longest = { name: 255, version: 64 }

/**
 * Makes a runner of whoever has a registration token. The token stays as good as it was.
 * @throws ConnectError invalid_argument, unauthenticated, permission_denied
 */
export async function register({ sql, now }: CallContext, request: RegisterRequest): Promise<Registered> {
  if (request.token === '' || request.name === '')
    throw new ConnectError('a runner needs a name and a registration token', Code.InvalidArgument)
  const scope = await scopeOf(sql, request.token)
  const token = newToken()
  const draft: RunnerDraft = {
    ...scope,
    name: cut(request.name, longest.name),
    version: cut(request.version, longest.version),
    labels: labelsOf(request),
    ephemeral: request.ephemeral,
    cancels: request.capabilities.includes('cancelling'),
    tokenHash: hashOf(token),
  }
  try {
    return { runner: await insertRunner(sql, draft, now), token }
  } catch (error) {
    const gone = error instanceof postgres.PostgresError && error.constraint_name?.endsWith('_known')
    throw gone
      ? new ConnectError('whom the registration token was for is gone', Code.PermissionDenied)
      : error
  }
}

/** What a runner that starts says of itself. */
export async function declare(
  { sql, now, runner }: RunnerContext,
  request: DeclareRequest,
): Promise<StoredRunner> {
  const said = {
    version: cut(request.version, longest.version),
    labels: distinct(request.labels),
    cancels: request.capabilities.includes('cancelling'),
  }
  await updateDeclared(sql, runner.id, said, now)
  return { ...runner, ...said }
}

async function scopeOf(sql: CallContext['sql'], token: string): Promise<Scope> {
  const found = await registrationOf(sql, token)
  if (!found) throw new ConnectError('the registration token is not known', Code.Unauthenticated)
  if (found.is_active) return found
  throw new ConnectError(
    'the registration token has been replaced: use the newest one',
    Code.PermissionDenied,
  )
}

function labelsOf({ labels, agentLabels, customLabels }: RegisterRequest): string[] {
  return distinct(labels.length > 0 ? labels : [...agentLabels, ...customLabels])
}

const distinct = (labels: readonly string[]) => [...new Set(labels.filter((label) => label !== ''))]

/** By code points, so that no character is cut in two. */
const cut = (text: string, most: number) => (text.length > most ? [...text].slice(0, most).join('') : text)
