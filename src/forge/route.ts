import type { Planner } from '../actions/workflow/planner.ts'
import type { Schedule } from '../background/cron/schedule.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { Secrets } from '../db/encryption/secrets.ts'
import type { DatabaseLimiter } from '../http/reads/database-limiter.ts'
import { type HandlerBase, routeOf } from '../http/route/route.ts'
import type { Origin } from '../http/server/origin.ts'
import type { Log } from '../log.ts'
import type { Renderer } from '../render/renderer.ts'
import type { Authentication } from './auth/authenticator.ts'
import type { Passwords } from './auth/password.ts'
import type { PasswordRules } from './auth/password-rules.ts'
import type { GitService } from './git-service.ts'
import type { TemplateCatalog } from './templates/catalog.ts'
import type { LicenseDetector } from './templates/license-detector.ts'

/** What the handlers of the forge share in addition to the database. */
export interface ForgeTools {
  /** Public root URL with a slash at its end; links of one request start with `from.host`. */
  root: string
  /** The version that `/version` prints. */
  version: string
  authenticator: Authentication
  passwords: Passwords
  /** Encrypts secrets in the database. */
  secrets: Secrets
  passwordRules: PasswordRules
  renderer: Renderer
  /** The template collections as the API shows them. */
  templateCatalog: TemplateCatalog
  licenseDetector: LicenseDetector
  /** Whether there is a server that takes mails (`MAIL_URL`). */
  sendsMail: boolean
  /** Whether users who are not administrators may create organizations, if their account allows it. */
  orgCreation: boolean
  gitService: GitService
  /** Pushes begun before this moment may be unpublished, because a crash interrupted them; undefined if none. */
  pushRecovery: { readonly before: Date | undefined }
  /** The scheduled tasks. */
  schedule: Schedule
  /** Reads workflow files. */
  planner: Planner
  /** Bounds what access checks ask the database. */
  limiter: DatabaseLimiter
  log: Log
  /** The files of packages, releases and issues. */
  blobs: Blobs
  uploadLimits: UploadLimits
  artifacts: ArtifactLimits
}

/** Maximum sizes of uploaded files in bytes, by what they belong to. */
interface UploadLimits {
  package: number
  release: number
  /** Also of a comment. */
  issue: number
}

/** How much a repository keeps of its runs, and how long. */
interface ArtifactLimits {
  /** Bytes of all artifacts of a repository. */
  limit: number
  /** Milliseconds. */
  kept: number
}

/** The tools for one request, by whose client the git processes that they start take turns. */
export const toolsFor = <Tools extends Pick<ForgeTools, 'gitService'>>(
  from: Pick<Origin, 'id' | 'address'>,
  tools: Tools,
): Tools => ({ ...tools, gitService: tools.gitService.forRequest(from) })

/** The context of a handler, for functions that handlers call; `Declared` is what they use of the declared parts. */
export type ForgeContext<Caller, Declared = unknown> = HandlerBase<ForgeTools> & { caller: Caller } & Declared

/** The context of a handler that receives what it stores, and cannot receive it again (`confirmed`). */
export type ReceivingContext<Caller, Declared = unknown> = ForgeContext<
  Caller,
  { authorizeAgain: () => Promise<Caller> } & Declared
>

export const route = routeOf<ForgeTools>({ refusesQueryWith: 422 })
