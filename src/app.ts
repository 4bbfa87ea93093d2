import type { RequestListener } from 'node:http'
import { absentProfiles, actionsApi } from './actions/runner/api.ts'
import { createTriggerWorker, type TriggerWorker } from './actions/trigger/worker.ts'
import { createPlanner } from './actions/workflow/planner.ts'
import { ClockWatch } from './background/clock-watch.ts'
import { Schedule } from './background/cron/schedule.ts'
import type { Running } from './background/every.ts'
import { openBlobs } from './blobs/open.ts'
import type { Config } from './config.ts'
import { beginOn } from './db/begin.ts'
import type { Secrets } from './db/encryption/secrets.ts'
import type { Pool } from './db/sql.ts'
import type { VersionSource } from './db/version.ts'
import { describeSchedule } from './forge/actions/schedule-event.ts'
import { forgeTasks } from './forge/admin/cron-tasks.ts'
import { FORGE_PREFIX, forgeApi } from './forge/api.ts'
import { Authenticator } from './forge/auth/authenticator.ts'
import { createPasswords, PASSWORD_DEFAULTS, type Passwords } from './forge/auth/password.ts'
import { PasswordCache } from './forge/auth/password-cache.ts'
import { forgeDocument, forgeSecurity } from './forge/document.ts'
import { createTemplateCatalog } from './forge/misc/templates/catalog.ts'
import { openTemplates } from './forge/misc/templates/open.ts'
import { registryApi } from './forge/packages/registry-api.ts'
import { gitApi } from './forge/push/git-api.ts'
import { PendingPushRecovery } from './forge/push/recovery.ts'
import { repair } from './forge/repos/directory.ts'
import { createGitService } from './forge/repos/git-service.ts'
import type { ForgeTools } from './forge/route.ts'
import { sitePublishers } from './forge/site-publishers.ts'
import { swaggerOf } from './http/openapi/swagger.ts'
import { createHandler } from './http/pipeline/handle.ts'
import type { CountRequest } from './http/pipeline/send.ts'
import { DatabaseLimiter } from './http/reads/database-limiter.ts'
import { CoalescedReads } from './http/reads/reads.ts'
import { ValidatedCache } from './http/reads/validated-cache.ts'
import { type ApiProfile, type Mounted, mount } from './http/route/api.ts'
import { type Rate, RateLimiter } from './limiter/rate-limiter.ts'
import type { Log } from './log.ts'
import { pagesApi, reservedSegments } from './pages/api.ts'
import { createRenderer } from './render/renderer.ts'
import { siteApiFor } from './site/api.ts'
import { siteDocument } from './site/document.ts'
import { anyone, nobody, type Publishers } from './site/route.ts'
import { SiteFeed } from './site/stream/feed.ts'
import { siteTasks } from './site/upkeep.ts'
import { webApi, webTools } from './web/api.ts'

/** What an app is made of. The clock is a parameter, so that a test can stop it. */
interface Parts {
  config: Config
  pool: Pool
  states: VersionSource
  clock: () => Date
  log: Log
  /** Absent where nobody reads the counts. */
  countRequest?: CountRequest | undefined
  /** The keys for secrets in the database. */
  secrets: Secrets
  /** Password hashing; absent: at the default cost. Tests supply a cheap one. */
  passwords?: Passwords
  /** Called after each commit that wrote events; absent: this process does not dispatch them. */
  emitted?: () => void
}

export interface App {
  handle: RequestListener
  /** Every operation, for the OpenAPI documents and for tests. */
  routes: readonly Mounted[]
  /** How malformed requests are answered. */
  profile: ApiProfile
  /** Closed until the schema is known to be up to date. */
  limiter: DatabaseLimiter
  /** What the modules of the forge share, for tests of permissions. */
  tools: ForgeTools
  /** Finishes repository creations and deletions started before `before`; returns the count. */
  repairRepositories: (before: Date) => Promise<number>
  /** Starts publishing the events of pushes begun before `before` that a crash left unpublished. */
  recoverPushes: (before: Date) => Running
  /** Notices when the clock of the machine is set. */
  clockWatch: ClockWatch
  /** Starts workflows; woken when events have been dispatched. */
  workflows: TriggerWorker
  /** Ends event streams, which would last longer than any stop waits for requests. */
  endStreams: () => void
  /** Stops everything that runs besides requests. */
  close: () => Promise<void>
}

/** Maximum time for a request body to arrive, in milliseconds. */
const bodyTimeout = 30_000

/**
 * Connects all modules; the only place that does.
 * @throws TemplateFaults when the operator's templates cannot be read, NoSuchTask for a schedule of an unknown task
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one place puts the parts together
export function createApp(parts: Parts): App {
  const { config, pool, states, clock, log, emitted } = parts
  const limiter = new DatabaseLimiter(config.queueLimit, config.databaseTimeout)
  const begin = beginOn(pool, clock, { onEmitted: emitted, namesRequests: config.namesRequests, log })
  const shared = forgeTools(parts, limiter)
  const clockWatch = new ClockWatch()
  const schedule = new Schedule({
    pool,
    begin,
    clock,
    log,
    timetables: config.timetables,
    tasks: [
      ...forgeTasks({
        tools: shared,
        deliveryRetention: config.webhookHistory,
        actions: config.actionsRetention,
        clockWatch,
      }),
      ...siteTasks(config),
    ],
  })
  const tools: ForgeTools = { ...shared, schedule }
  const workflows = createTriggerWorker({
    sql: pool,
    begin,
    clock,
    log,
    planner: tools.planner,
    source: tools.gitService,
    root: config.root,
    describe: describeSchedule(pool, config.root),
  })
  const forge = forgeApi(tools)
  const registries = registryApi(tools)
  const actions = actionsApi({
    limiter,
    log,
    secrets: parts.secrets,
    actionsUrl: config.actionsUrl,
    logLimit: config.actionsLogLimit,
  })
  const feed = new SiteFeed({ pool, states, limiter, clock, log, maxReaders: config.streamLimit })
  const site = siteApiFor(publishersOf(config.siteWrites, tools), { feed })
  const [ofForge, ofSite] = [mount(forge), mount(site)]
  const pages = pagesApi(tools, { ...config, publishing: config.siteWrites !== 'off' })
  const routes = [
    ...ofForge,
    ...mount(registries),
    ...ofSite,
    ...mount(webApi(webTools(documentsOf(ofForge, ofSite, config)))),
    ...mount(gitApi(tools)),
    ...mount(pages),
    ...mount(actions),
  ]
  const handle = createHandler({
    routes,
    profiles: [
      actions.profile,
      ...absentProfiles,
      registries.profile,
      forge.profile,
      site.profile,
      pages.profile,
    ],
    reserved: reservedSegments,
    secrets: parts.secrets,
    sql: pool,
    reads: new CoalescedReads(limiter, new ValidatedCache(states, ({ length }) => 1024 + 2 * length)),
    begin,
    clock,
    log,
    countRequest: parts.countRequest,
    limiter,
    rates: rateLimiter(config.rateLimits.address),
    limits: { bytes: config.bodyLimit, milliseconds: bodyTimeout },
    root: config.root,
    rootIsGiven: config.rootIsGiven,
    proxies: config.proxies,
  })
  const recoveryDeps = { sql: pool, begin, tools, log }
  return {
    handle,
    routes,
    profile: site.profile,
    limiter,
    tools,
    clockWatch,
    workflows,
    repairRepositories: (before) => repair(recoveryDeps, before),
    recoverPushes: (before) => tools.pushRecovery.start(recoveryDeps, before),
    endStreams: () => feed.close(),
    close: async () => {
      // Tasks are stopped first, so that they know why git ends.
      const stopped = schedule.stop()
      tools.gitService.git.close()
      await Promise.all([stopped, tools.renderer.close(), tools.planner.close()])
      tools.blobs.close()
    },
  }
}

const rateLimiter = <Key extends string | number>(rate: Rate | undefined) =>
  rate && new RateLimiter<Key>(rate)

function publishersOf(writes: Config['siteWrites'], { authenticator }: ForgeTools): Publishers {
  if (writes === 'open') return anyone
  return writes === 'token' ? sitePublishers(authenticator) : nobody
}

/** `28.0.0` is the release of the API that clients compare; the part after the plus is our version. */
const forgeVersion = `28.0.0+${__VERSION__}`

/** The documents of both APIs, each made when it is asked for. */
const documentsOf = (
  forge: readonly Mounted[],
  site: readonly Mounted[],
  { siteWrites, queryTokens, root }: Pick<Config, 'siteWrites' | 'queryTokens' | 'root'>,
) => {
  const ofForge = () =>
    forgeDocument({ version: forgeVersion, routes: forge, prefix: FORGE_PREFIX, queryTokens })
  const security = siteWrites === 'token' ? { BearerToken: forgeSecurity.BearerToken } : undefined
  return {
    forge: ofForge,
    forgeFormerly: () => swaggerOf(ofForge(), new URL(root).pathname.replace(/\/$/, '') + FORGE_PREFIX),
    site: () => siteDocument({ version: __VERSION__, routes: site, security }),
  }
}

function forgeTools(
  { config, states, log, secrets, passwords: given }: Parts,
  limiter: DatabaseLimiter,
): Omit<ForgeTools, 'schedule'> {
  const passwords = given ?? createPasswords(PASSWORD_DEFAULTS)
  const { root, queryTokens, requireSignIn, passwordRules, orgCreation, templatesDir } = config
  const verified = new PasswordCache(passwords)
  const authenticator = new Authenticator({
    verified,
    secrets,
    reads: new CoalescedReads(limiter, new ValidatedCache(states, ({ rows }) => 1024 * (1 + rows.length))),
    log,
    queryTokens,
    requireSignIn,
    rates: rateLimiter(config.rateLimits.account),
  })
  const renderer = createRenderer()
  const templateCatalog = createTemplateCatalog(openTemplates({ dir: templatesDir }), root)
  return {
    root,
    version: forgeVersion,
    authenticator,
    passwords,
    secrets,
    passwordRules,
    orgCreation,
    renderer,
    planner: createPlanner(),
    log,
    templateCatalog,
    gitService: createGitService(config.dataDir),
    pushRecovery: new PendingPushRecovery(),
    blobs: openBlobs(config, log),
    packageLimits: { file: config.packageFileLimit },
  }
}
