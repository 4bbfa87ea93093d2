import * as v from 'valibot'
import type { Secrets } from '../../db/encryption/secrets.ts'

/**
 * The token that a job's actions send when they store or fetch artifacts (`ACTIONS_RUNTIME_TOKEN`): a JWT (RFC 7519),
 * because the public actions read the ids of the run and the job from its claim `scp`. It is valid for artifacts alone.
 */
interface RuntimeIdentity {
  task: number
  run: number
  job: number
}

/** How long after the longest job a token ends, in milliseconds. The task is asked for its state at each call anyway. */
const grace = 3_600_000

const purpose = 'runtime token'

const Claims = v.object({ TaskID: v.number(), RunID: v.number(), JobID: v.number(), exp: v.number() })

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** `longestJob`: milliseconds. */
export function runtimeToken(
  { task, run, job }: RuntimeIdentity,
  secrets: Secrets,
  { now, longestJob }: { now: Date; longestJob: number },
): string {
  const seconds = Math.floor(now.getTime() / 1000)
  const claims = {
    scp: `Actions.Results:${run}:${job}`,
    // The scopes of the cache of the original's runners; 3: read and write.
    ac: JSON.stringify([{ Scope: '', Permission: 3 }]),
    TaskID: task,
    RunID: run,
    JobID: job,
    nbf: seconds,
    exp: seconds + Math.ceil((longestJob + grace) / 1000),
  }
  const text = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(claims)}`
  return `${text}.${secrets.sign(text, purpose).toString('base64url')}`
}

/** Whose token it is; undefined if this server has not made it, or it has ended. */
export function readRuntimeToken(token: string, secrets: Secrets, now: Date): RuntimeIdentity | undefined {
  const [, text = '', claims = '', signature = ''] = /^([\w-]+\.([\w-]+))\.([\w-]+)$/.exec(token) ?? []
  if (!secrets.isSigned(text, Buffer.from(signature, 'base64url'), purpose)) return undefined
  const { TaskID, RunID, JobID, exp } = v.parse(
    Claims,
    JSON.parse(Buffer.from(claims, 'base64url').toString()),
  )
  return exp * 1000 > now.getTime() ? { task: TaskID, run: RunID, job: JobID } : undefined
}
