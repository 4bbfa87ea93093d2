import type { IncomingMessage, RequestListener } from 'node:http'
import { actionsApi } from './actions/runner/api.ts'
import { createPlanner } from './actions/workflow/planner.ts'
import { documentsOf, forgeVersion } from './api-documents.ts'
import { type AppWorkers, appWorkers } from './app-workers.ts'
import { ClockWatch } from './background/clock-watch.ts'
import { Schedule } from './background/cron/schedule.ts'
import type { Poller, Running } from './background/recurring.ts'
import { openBlobs } from './blobs/open.ts'
import type { Config } from './config.ts'
import { beginOn } from './db/begin.ts'
import type { Secrets } from './db/encryption/secrets.ts'
import type { Begin, Pool } from './db/sql.ts'
import type { VersionSource } from './db/version.ts'
import { forgeApi } from './forge/api.ts'
import { pipelinesApi, resultsApi } from './forge/artifacts/apis.ts'
import { record } from './forge/audit/audit-trail.ts'
import { createPasswords, PASSWORD_DEFAULTS, type Passwords } from './forge/auth/password.ts'
import { forgeTasks } from './forge/cron-tasks.ts'
import { createGitService } from './forge/git-service.ts'
import { mailWorker } from './forge/letters/letters.ts'
import { openAuthenticator } from './forge/open-authenticator.ts'
import { registryApi } from './forge/packages/registry-api.ts'
import { gitApi } from './forge/push/git-api.ts'
import { PendingPushRecovery } from './forge/push/recovery.ts'
import { countedSsh, sshApi } from './forge/push/ssh-api.ts'
import { repair } from './forge/repos/directory.ts'
import type { ForgeTools } from './forge/route.ts'
import { sitePictures } from './forge/site-pictures.ts'
import { everybody, sitePublishers } from './forge/site-publishers.ts'
import { commitSigner } from './forge/ssh-keys/signing-key.ts'
import { createTemplateCatalog } from './forge/templates/catalog.ts'
import { createLicenseDetector } from './forge/templates/license-detector.ts'
import { openTemplates } from './forge/templates/open.ts'
import { createHandler } from './http/pipeline/handle.ts'
import { NetworkRates } from './http/pipeline/network-rates.ts'
import type { Reply } from './http/pipeline/reply.ts'
import type { CountRequest } from './http/pipeline/send.ts'
import { DatabaseLimiter } from './http/reads/database-limiter.ts'
import { CoalescedReads } from './http/reads/reads.ts'
import { ValidatedCache } from './http/reads/validated-cache.ts'
import { type ApiProfile, type Mounted, mount } from './http/route/api.ts'
import { Origin } from './http/server/origin.ts'
import type { Log } from './log.ts'
import { pagesApi, reservedSegments } from './pages/api.ts'
import { SessionReads } from './pages/session-reads.ts'
import { SiteName } from './pages/site-name.ts'
import { createRenderer } from './render/renderer.ts'
import { siteApiFor } from './site/api.ts'
import type { RecordChange } from './site/change.ts'
import { anyone, nobody } from './site/route.ts'
import { SiteFeed } from './site/stream/feed.ts'
import { siteTasks } from './site/upkeep.ts'
import { webApi, webTools } from './web/api.ts'

/** The dependencies of an app. The clock is a parameter, so that a test can stop it. */
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

export interface App extends AppWorkers {
  handle: RequestListener
  /** The same for the socket of the SSH program, whose requests name a key. */
  handleSsh: RequestListener
  /** Counts a request outside `handle` for `RATE_LIMIT_ADDRESS`; returns the seconds until the client may send another. */
  secondsToWait: (req: IncomingMessage) => number
  /** Every operation, for the OpenAPI documents and for tests. */
  routes: readonly Mounted[]
  /** How malformed requests are answered. */
  profile: ApiProfile
  /** Closed until the schema is known to be up to date. */
  limiter: DatabaseLimiter
  /** The tools of the forge, for tests of permissions. */
  tools: ForgeTools
  /** Finishes repository creations and deletions started before `before`; returns the count. */
  repairRepositories: (before: Date) => Promise<number>
  /** Starts publishing the events of pushes begun before `before` that a crash left unpublished. */
  recoverPushes: (before: Date) => Running
  /** Detects that the clock of the machine was set. */
  clockWatch: ClockWatch
  /** Sends mails; absent: there is no server for them. */
  mails: Poller | undefined
  /** Ends event streams, which would last longer than any stop waits for requests. */
  endStreams: () => void
  /** Stops all work besides requests. */
  close: () => Promise<void>
}

/** Maximum time for a request body to arrive, in milliseconds. */
const bodyTimeout = 30_000

/** The parts, and objects that are made from them alone. */
interface Core extends Parts {
  limiter: DatabaseLimiter
  rates: NetworkRates | undefined
  begin: Begin
  clockWatch: ClockWatch
  pushRecovery: PendingPushRecovery
}

/**
 * Connects all modules; this file is the only place that does.
 * @throws TemplateFaults when the operator's templates cannot be read, NoSuchTask for a schedule of an unknown task
 */
export function createApp(parts: Parts): App {
  const { config, pool, states, clock, log, emitted } = parts
  const limiter = new DatabaseLimiter(config.queueLimit, config.databaseTimeout)
  const begin = beginOn(pool, clock, { onEmitted: emitted, namesRequests: config.namesRequests, log })
  const { address } = config.rateLimits
  const rates = address && new NetworkRates(address)
  const [clockWatch, pushRecovery] = [new ClockWatch(), new PendingPushRecovery()]
  const core: Core = { ...parts, limiter, rates, begin, clockWatch, pushRecovery }
  const tools = forgeTools(core)
  const feed = new SiteFeed({ pool, states, limiter, clock, log, maxReaders: config.streamLimit })
  const apis = apisOf(core, tools, feed)
  const recoveryDeps = { sql: pool, begin, tools, log }
  return {
    handle: handlerOf(core, apis),
    handleSsh: sshHandlerOf(core, tools),
    secondsToWait: (req) => rates?.secondsToWait(new Origin(req, '', config), clock()) ?? 0,
    routes: apis.routes,
    profile: apis.siteProfile,
    limiter,
    tools,
    clockWatch: core.clockWatch,
    ...appWorkers(core, tools),
    mails: config.mail && mailWorker(config.mail, { ...core, root: config.root }),
    repairRepositories: (before) => repair(recoveryDeps, before),
    recoverPushes: (before) => core.pushRecovery.start(recoveryDeps, before),
    endStreams: () => feed.close(),
    close: () => close(tools),
  }
}

async function close({ schedule, gitService, renderer, planner, blobs }: ForgeTools): Promise<void> {
  // Tasks are stopped first, so that they know why git ends.
  const stopped = schedule.stop()
  gitService.git.close()
  await Promise.all([stopped, renderer.close(), planner.close()])
  blobs.close()
}

interface Apis {
  routes: readonly Mounted[]
  profiles: readonly [ApiProfile, ...ApiProfile[]]
  siteProfile: ApiProfile
}

/** All routes, and the profiles of the APIs: a path belongs to the first one that claims it. */
function apisOf(core: Core, tools: ForgeTools, feed: SiteFeed): Apis {
  const { config, limiter, log, secrets, states, pool } = core
  const { siteWrites, actionsUrl, actionsLogLimit: logLimit } = config
  const { longestJob } = config.actionsRetention
  const forge = forgeApi(tools)
  const registries = registryApi(tools)
  const actions = actionsApi({ limiter, log, secrets, actionsUrl, logLimit, longestJob })
  const [results, pipelines] = [resultsApi(tools), pipelinesApi(tools)]
  const pictures = sitePictures(tools)
  const administrators = sitePublishers(tools.authenticator)
  const publishers = { open: anyone, token: administrators, off: nobody }[siteWrites]
  const correctors = siteWrites === 'open' ? everybody : publishers
  const uploaders = siteWrites === 'off' ? nobody : administrators
  const site = siteApiFor({ publishers, correctors, uploaders, administrators }, { feed, pictures })
  const sessions = new SessionReads(limiter, states)
  const siteName = new SiteName(pool, states)
  const pages = pagesApi(tools, { ...config, publishing: siteWrites !== 'off', sessions, pictures, siteName })
  const [forgeRoutes, siteRoutes] = [mount(forge), mount(site)]
  return {
    routes: [
      ...forgeRoutes,
      ...mount(registries),
      ...siteRoutes,
      ...mount(webApi(webTools(documentsOf(forgeRoutes, siteRoutes, config)))),
      ...mount(gitApi(tools)),
      ...mount(pages),
      ...mount(actions),
      ...mount(results),
      ...mount(pipelines),
    ],
    profiles: [
      actions.profile,
      results.profile,
      pipelines.profile,
      registries.profile,
      forge.profile,
      site.profile,
      pages.profile,
    ],
    siteProfile: site.profile,
  }
}

/** The SSH program names the address of its client, as a proxy does; links have the public address. */
function sshHandlerOf(core: Core, tools: ForgeTools): RequestListener {
  const api = sshApi(tools)
  const config = { ...core.config, isRootSet: true, proxies: { trusts: (peer: string) => peer === '' } }
  return countedSsh(handlerOf({ ...core, config }, { routes: mount(api), profiles: [api.profile] }))
}

function handlerOf(core: Core, { routes, profiles }: Pick<Apis, 'routes' | 'profiles'>): RequestListener {
  const { config, pool, states, clock, log, countRequest, secrets, limiter, rates, begin } = core
  const { bodyLimit, root, isRootSet, proxies } = config
  return createHandler({
    routes,
    profiles,
    reserved: reservedSegments,
    secrets,
    sql: pool,
    reads: new CoalescedReads(limiter, new ValidatedCache(states, sizeOfReply)),
    begin,
    clock,
    log,
    countRequest,
    limiter,
    rates,
    limits: { bytes: bodyLimit, milliseconds: bodyTimeout },
    root,
    isRootSet,
    proxies,
  })
}

/** Approximate bytes of a cached reply, or of the function of a stream. */
const sizeOfReply = ({ length, stream }: Reply) => (stream ? 4096 : 1024) + 2 * length

function forgeTools(core: Core): ForgeTools {
  const { config, log, secrets, pushRecovery } = core
  const { root, orgCreation, passwordRules, templatesDir } = config
  const passwords = core.passwords ?? createPasswords(PASSWORD_DEFAULTS)
  const templates = openTemplates({ dir: templatesDir })
  const tools = {
    root,
    version: forgeVersion,
    authenticator: openAuthenticator({ ...core, ...config, passwords }),
    passwords,
    secrets,
    passwordRules,
    orgCreation,
    sendsMail: config.mail !== undefined,
    renderer: createRenderer(),
    planner: createPlanner(),
    limiter: core.limiter,
    log,
    templateCatalog: createTemplateCatalog(templates, root),
    licenseDetector: createLicenseDetector(templates.license),
    gitService: createGitService(
      config.dataDir,
      { start: config.gitStartTimeout, ...config.gitLimits },
      config.signingKey && commitSigner(config.signingKey),
    ),
    pushRecovery,
    blobs: openBlobs(config, log),
    uploadLimits: config.uploadLimits,
    artifacts: config.artifacts,
  }
  return { ...tools, schedule: scheduleOf(core, tools) }
}

/** Records a change of the site that a scheduled task makes. */
const recordTask: RecordChange = (tx, change) => record(tx, 'cron task', change)

function scheduleOf(core: Core, tools: Omit<ForgeTools, 'schedule'>): Schedule {
  const { pool, begin, clock, log, config, clockWatch } = core
  const { timetables, webhookHistory: deliveryRetention, actionsRetention: actions } = config
  const tasks = [
    ...forgeTasks({ tools, deliveryRetention, actions, clockWatch }),
    ...siteTasks({ ...config, record: recordTask }),
  ]
  return new Schedule({ pool, begin, clock, log, timetables, tasks })
}
