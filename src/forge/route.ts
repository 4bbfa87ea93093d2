import type { Planner } from '../actions/workflow/planner.ts'
import type { Schedule } from '../background/cron/schedule.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { Secrets } from '../db/encryption/secrets.ts'
import { routeOf } from '../http/route/route.ts'
import type { Log } from '../log.ts'
import type { Renderer } from '../render/renderer.ts'
import type { Authenticator } from './auth/authenticator.ts'
import type { Passwords } from './auth/password.ts'
import type { PasswordRules } from './auth/password-rules.ts'
import type { TemplateCatalog } from './misc/templates/catalog.ts'
import type { PendingPushRecovery } from './push/recovery.ts'
import type { GitService } from './repos/git-service.ts'

/** What the rooms of the forge share beside the database. */
export interface ForgeTools {
  /** Public root URL with a slash at its end; links of one request start with `from.host`. */
  root: string
  /** As `/version` prints it. */
  version: string
  authenticator: Authenticator
  passwords: Passwords
  /** Encrypts what is secret in the database. */
  secrets: Secrets
  passwordRules: PasswordRules
  renderer: Renderer
  /** The template collections as they are shown. */
  templateCatalog: TemplateCatalog
  /** Whether others than administrators may create organizations, where their account allows it. */
  orgCreation: boolean
  gitService: GitService
  /** Pushes that a crash left and that are told beside. */
  pushRecovery: PendingPushRecovery
  /** What is done again and again, and when. */
  schedule: Schedule
  /** Reads workflow files. */
  planner: Planner
  log: Log
  /** The files of packages. */
  blobs: Blobs
  packageLimits: PackageLimits
}

/** Bytes of the largest uploads. */
interface PackageLimits {
  file: number
}

export const route = routeOf<ForgeTools>()
