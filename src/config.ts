import { resolve } from 'node:path'
import * as v from 'valibot'
import { parseTimetables } from './background/cron/timetable.ts'
import { s3Fault, s3Of, s3Variables } from './blobs/s3/variables.ts'
import { done, failed } from './common/outcome.ts'
import { trimEnd } from './common/trim.ts'
import { parseDuration, parseSize } from './common/units.ts'
import { parseSecretKeys } from './db/encryption/secret-key.ts'
import {
  databaseAddress,
  integer,
  isAddress,
  publicAddress,
  quantity,
  rate,
  read,
  sshAddress,
  timeout,
  yesOrNo,
} from './environment.ts'
import { parseAddress } from './forge/accounts/email-address.ts'
import { NAME_MAX, nameFault } from './forge/accounts/names.ts'
import { passwordClasses } from './forge/auth/password-rules.ts'
import { isToken } from './forge/auth/token.ts'
import { readSigningKey } from './forge/ssh-keys/signing-key.ts'
import { parseAllowedHosts } from './forge/webhooks/delivery/allowed-hosts.ts'
import { parseRetention } from './forge/webhooks/delivery/retention.ts'
import { maxHeld } from './http/pipeline/body-memory.ts'
import { parseProxies } from './http/server/proxies.ts'
import { ignoredSettings } from './ignored-settings.ts'
import { level } from './log.ts'
import { mailFault, mailOf, mailVariables } from './mail/variables.ts'

/** Addresses of proxies. */
const trusted = read((text) => {
  const value = parseProxies(text)
  return value ? done(value) : failed('must be none, or list addresses, networks, loopback, private')
})

/** The message does not repeat the text, which may contain a part of a key. */
const secretKeys = read((text) => {
  const value = parseSecretKeys(text)
  return value ? done(value) : failed('must be keys of at least 32 characters, separated by commas')
})

/** `self`, or the address to clone actions from. */
const actionsUrl = read((text) => {
  if (text === 'self') return done(undefined)
  return isAddress(text, ['http:', 'https:'])
    ? done(trimEnd(text, '/'))
    : failed('must be self, or an http or https address')
})

/** Comma-separated character classes. */
const classes = v.pipe(
  v.string(),
  v.transform((text) =>
    text
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean),
  ),
  v.array(v.picklist(passwordClasses, `must list some of ${passwordClasses.join(', ')}`)),
)

/** Memory of a git process: with less than this git cannot start. */
const memory = (example: string) =>
  v.pipe(
    quantity(parseSize, `must be a size such as ${example}`),
    v.minValue(64 * 1024 ** 2, 'must be at least 64m'),
  )

const Variables = v.object({
  PORT: v.optional(integer(0, 65_535), '3000'),
  HOST: v.optional(v.string()),
  PUBLIC_URL: v.optional(publicAddress),
  SSH_URL: v.optional(sshAddress),
  DATABASE_URL: v.optional(databaseAddress),
  DATA_DIR: v.optional(v.string(), './data'),
  LOG_LEVEL: v.optional(level, 'info'),
  POOL_SIZE: v.optional(integer(1, 1000), '10'),
  METRICS_PORT: v.optional(integer(0, 65_535)),
  METRICS_HOST: v.optional(v.string(), '127.0.0.1'),
  METRICS_TOKEN: v.optional(
    v.pipe(v.string(), v.regex(/^[!-~]{16,255}$/, 'must be 16 to 255 characters without spaces')),
  ),
  QUEUE_LIMIT: v.optional(integer(1, 1_000_000), '1000'),
  DATABASE_TIMEOUT: v.optional(timeout('15s'), '15s'),
  RATE_LIMIT_ADDRESS: v.optional(rate, 'off'),
  RATE_LIMIT_ACCOUNT: v.optional(rate, 'off'),
  DATABASE_REQUEST_ID: v.optional(yesOrNo, 'false'),
  TRUST_PROXY: v.optional(trusted, 'loopback'),
  QUERY_TOKENS: v.optional(yesOrNo, 'false'),
  REQUIRE_SIGNIN: v.optional(yesOrNo, 'false'),
  ORG_CREATION: v.optional(yesOrNo, 'true'),
  PASSWORD_MIN_LENGTH: v.optional(integer(1, 255), '8'),
  PASSWORD_CLASSES: v.optional(classes, ''),
  ADMIN_USERNAME: v.optional(
    v.pipe(
      v.string(),
      v.check((text) => nameFault(text) === undefined, 'must be a name'),
      v.maxLength(NAME_MAX, `must have at most ${NAME_MAX} characters`),
    ),
  ),
  ADMIN_EMAIL: v.optional(
    v.pipe(
      v.string(),
      v.check((text) => parseAddress(text).ok, 'must be an e-mail address'),
    ),
  ),
  ADMIN_PASSWORD: v.optional(v.pipe(v.string(), v.maxLength(255, 'must have at most 255 characters'))),
  ADMIN_TOKEN: v.optional(v.pipe(v.string(), v.check(isToken, 'must be 40 lower-case hexadecimal digits'))),
  TEMPLATES_DIR: v.optional(v.string()),
  BODY_LIMIT: v.optional(
    v.pipe(
      quantity(parseSize, 'must be a size such as 1m or 1048576'),
      v.maxValue(maxHeld, 'must be at most 256m'),
    ),
    '1m',
  ),
  PACKAGE_FILE_LIMIT: v.optional(quantity(parseSize, 'must be a size such as 1g or 1048576'), '2g'),
  RELEASE_FILE_LIMIT: v.optional(quantity(parseSize, 'must be a size such as 1g or 1048576'), '2g'),
  ISSUE_FILE_LIMIT: v.optional(quantity(parseSize, 'must be a size such as 1g or 1048576'), '100m'),
  ...s3Variables,
  ...mailVariables,
  SITE_WRITES: v.optional(v.picklist(['open', 'token', 'off'], 'must be open, token or off'), 'open'),
  STREAM_LIMIT: v.optional(integer(0, 1_000_000), '10000'),
  SESSION_MAX_AGE: v.optional(quantity(parseDuration, 'must be a duration such as 12h or 30d')),
  SECRET_KEY: v.optional(secretKeys),
  SECRET_KEY_LOST: v.optional(v.literal('accept', 'must be accept, or not be set')),
  ACTIONS_URL: v.optional(actionsUrl, 'https://github.com'),
  ACTIONS_LOG_LIMIT: v.optional(quantity(parseSize, 'must be a size such as 64m'), '64m'),
  ACTIONS_LONGEST_JOB: v.optional(quantity(parseDuration, 'must be a duration such as 3h'), '3h'),
  ACTIONS_LOGS_KEPT: v.optional(quantity(parseDuration, 'must be a duration such as 365d'), '365d'),
  ACTIONS_ARTIFACTS_KEPT: v.optional(quantity(parseDuration, 'must be a duration such as 90d'), '90d'),
  ACTIONS_ARTIFACTS_LIMIT: v.optional(quantity(parseSize, 'must be a size such as 10g or 1048576'), '10g'),
  ACTIONS_RUNS_KEPT: v.optional(quantity(parseDuration, 'must be a duration such as 365d')),
  RUNNER_TOKEN: v.optional(
    v.pipe(v.string(), v.regex(/^[\w-]{32,255}$/, 'must be 32 to 255 letters, digits, _ or -')),
  ),
  SIGNING_KEY_FILE: v.optional(read(readSigningKey)),
  GIT_START_TIMEOUT: v.optional(timeout('2m'), '2m'),
  GIT_READ_TIMEOUT: v.optional(timeout('60s'), '60s'),
  GIT_TRANSFER_TIMEOUT: v.optional(timeout('1h'), '1h'),
  GIT_READ_MEMORY: v.optional(memory('512m'), '512m'),
  GIT_TRANSFER_MEMORY: v.optional(memory('2g'), '2g'),
  WEBHOOK_ALLOWED_HOSTS: v.optional(read(parseAllowedHosts), 'external'),
  WEBHOOK_TIMEOUT: v.optional(timeout('5s'), '5s'),
  WEBHOOK_HISTORY: v.optional(read(parseRetention), '168h'),
  CRON: v.optional(read(parseTimetables), ''),
})

/** The names of all variables, for the help text and its test. */
export const variables = Object.keys(Variables.entries)

/** Variables of earlier releases that change how the server serves, so that no start may ignore them. */
const Removed = v.object({
  WORKERS: v.optional(
    v.literal('1', 'is no longer supported: start one process for each port, see docs/scaling.md'),
  ),
})

const Environment = v.pipe(
  v.object({ ...Variables.entries, ...Removed.entries }),
  v.forward(
    v.check(
      (values) => s3Fault(values) === undefined,
      ({ input }) => s3Fault(input) ?? '',
    ),
    ['S3_URL'],
  ),
  v.forward(
    v.check(
      (values) => mailFault(values) === undefined,
      ({ input }) => mailFault(input) ?? '',
    ),
    ['MAIL_URL'],
  ),
)

/** The configuration, or all its faults: one sentence each, beginning with the variable's name. */
type Configured = { config: Config } | { faults: string[] }

/** Reads the environment once, at startup. */
export function configure(environment: Readonly<Record<string, string | undefined>>): Configured {
  const set = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '')
  const checked = v.safeParse(Environment, Object.fromEntries(set))
  const ignored = ignoredSettings(
    set.map(([name]) => name),
    variables,
  )
  if (checked.success && ignored.length === 0) return { config: Object.freeze(configOf(checked.output)) }
  const issues = checked.issues?.map(({ path, message }) => `${path?.[0].key} ${message}`) ?? []
  return { faults: [...new Set([...issues, ...ignored])] }
}

export type Config = Readonly<ReturnType<typeof configOf>>

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of settings
function configOf(env: v.InferOutput<typeof Environment>) {
  const root = env.PUBLIC_URL ?? `http://localhost:${env.PORT}/`
  return {
    port: env.PORT,
    /** Absent: every address of the machine. */
    host: env.HOST,
    /** Public root URL with a trailing slash. */
    root: root.endsWith('/') ? root : `${root}/`,
    /** Whether `root` was set; otherwise replies use the address of each request. */
    isRootSet: env.PUBLIC_URL !== undefined,
    /** Address of git over SSH, `ssh://user@host:port` with a slash at its end; absent: there is none. */
    sshUrl: env.SSH_URL,
    /** Proxies whose `X-Forwarded-…` headers are trusted. */
    proxies: env.TRUST_PROXY,
    /** Absent: the embedded database in `dataDir`. */
    databaseUrl: env.DATABASE_URL,
    /** Absolute path. */
    dataDir: resolve(env.DATA_DIR),
    logLevel: env.LOG_LEVEL,
    poolSize: env.POOL_SIZE,
    /** Where metrics are served: on a port of their own, or on the main port for those who have the token. */
    metrics: { port: env.METRICS_PORT, host: env.METRICS_HOST, token: env.METRICS_TOKEN },
    /** Maximum number of requests waiting for the database. */
    queueLimit: env.QUEUE_LIMIT,
    /** Maximum wait of a request for the database, in milliseconds. */
    databaseTimeout: env.DATABASE_TIMEOUT,
    /** How many requests one client address and one account may make; absent: any number. */
    rateLimits: { address: env.RATE_LIMIT_ADDRESS, account: env.RATE_LIMIT_ACCOUNT },
    /** Whether transactions tell a PostgreSQL server the id of their request. */
    namesRequests: env.DATABASE_REQUEST_ID,
    /** Whether `?token=` is accepted too: such tokens end up in logs, so it is off by default. */
    queryTokens: env.QUERY_TOKENS,
    /** Whether the forge is closed to anonymous callers. */
    requireSignIn: env.REQUIRE_SIGNIN,
    /** Whether users who are not administrators may create organizations. */
    orgCreation: env.ORG_CREATION,
    passwordRules: { minLength: env.PASSWORD_MIN_LENGTH, classes: env.PASSWORD_CLASSES },
    /** The first administrator, created when there is none. */
    admin: {
      username: env.ADMIN_USERNAME,
      email: env.ADMIN_EMAIL,
      password: env.ADMIN_PASSWORD,
      token: env.ADMIN_TOKEN,
    },
    /** Folder of templates that extend or replace the built-in ones. */
    templatesDir: env.TEMPLATES_DIR,
    /** Maximum bytes of a request body, and of a file of a package, of a release, and of an issue or a comment. */
    bodyLimit: env.BODY_LIMIT,
    uploadLimits: {
      package: env.PACKAGE_FILE_LIMIT,
      release: env.RELEASE_FILE_LIMIT,
      issue: env.ISSUE_FILE_LIMIT,
    },
    /** The store of the contents of packages; absent: `dataDir`. */
    s3: s3Of(env),
    /** The server that takes mails; absent: none are sent. */
    mail: mailOf(env),
    /** Who may change news and media over HTTP: everybody, administrators with a token, or nobody. */
    siteWrites: env.SITE_WRITES,
    /** Maximum number of event streams of this process. */
    streamLimit: env.STREAM_LIMIT,
    /** Milliseconds; absent: sessions stay open until they are ended. */
    sessionMaxAge: env.SESSION_MAX_AGE,
    /** The encryption keys, the current one first; absent: the keys in `dataDir`. */
    secretKeys: env.SECRET_KEY,
    /** Whether to start without a key that the database needs; secrets encrypted with it stay unreadable. */
    secretKeyIsLost: env.SECRET_KEY_LOST !== undefined,
    /** Where jobs clone actions from, without a trailing slash; absent: from this server. */
    actionsUrl: env.ACTIONS_URL,
    /** Maximum size of the stored log of one job in bytes. */
    actionsLogLimit: env.ACTIONS_LOG_LIMIT,
    /** Time limits and retention of Actions. */
    actionsRetention: {
      longestJob: env.ACTIONS_LONGEST_JOB,
      logsKept: env.ACTIONS_LOGS_KEPT,
      runsKept: env.ACTIONS_RUNS_KEPT,
    },
    /** Bytes of all artifacts of a repository, and how long they are kept, in milliseconds. */
    artifacts: { limit: env.ACTIONS_ARTIFACTS_LIMIT, kept: env.ACTIONS_ARTIFACTS_KEPT },
    /** Registration token for runners from the start; absent: none until one is requested. */
    runnerToken: env.RUNNER_TOKEN,
    /** Where webhooks may be delivered. */
    webhookHosts: env.WEBHOOK_ALLOWED_HOSTS,
    /** Signs the commits that the server makes; absent: it signs none. */
    signingKey: env.SIGNING_KEY_FILE,
    /** Maximum time until git starts for a client, in milliseconds. */
    gitStartTimeout: env.GIT_START_TIMEOUT,
    /** Maximum time and memory of a git process that reads, and of one that packs objects or serves a client. */
    gitLimits: {
      milliseconds: { short: env.GIT_READ_TIMEOUT, long: env.GIT_TRANSFER_TIMEOUT },
      memory: { short: env.GIT_READ_MEMORY, long: env.GIT_TRANSFER_MEMORY },
    },
    /** Timeout of one delivery attempt in milliseconds. */
    webhookTimeout: env.WEBHOOK_TIMEOUT,
    /** Which finished deliveries are kept. */
    webhookHistory: env.WEBHOOK_HISTORY,
    /** When tasks run, where it differs from their defaults. */
    timetables: env.CRON,
  }
}
