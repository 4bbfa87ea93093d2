import type { Command } from './command.ts'
import { commands } from './run.ts'

/** One line per environment variable: name, default, meaning. */
const environment: readonly (readonly [name: string, fallback: string, meaning: string])[] = [
  ['PORT', '3000', 'port to listen on; 0 takes a free one'],
  ['HOST', 'all', 'address to listen on, for example 127.0.0.1'],
  ['PUBLIC_URL', 'http://localhost:PORT/', 'address under which clients reach the server'],
  ['DATABASE_URL', 'none', 'postgres://…; without it an embedded PostgreSQL in DATA_DIR is used'],
  ['DATA_DIR', './data', 'folder of everything that the server keeps'],
  ['LOG_LEVEL', 'info', 'debug, info, warn, error or silent'],
  ['POOL_SIZE', '10', 'connections to PostgreSQL, of each worker'],
  ['WORKERS', '1', 'server processes behind the port; more than one needs DATABASE_URL'],
  ['METRICS_PORT', 'none', 'port for GET /metrics in the format of Prometheus; 0 takes a free one'],
  ['METRICS_HOST', '127.0.0.1', 'address for METRICS_PORT'],
  ['METRICS_TOKEN', 'none', 'serve GET /metrics on the main port to those who send this as bearer token'],
  ['QUEUE_LIMIT', '1000', 'requests that may wait for the database; more get 503'],
  [
    'TRUST_PROXY',
    'loopback',
    'proxies whose X-Forwarded headers are believed: addresses, networks, none, loopback, private',
  ],
  ['QUERY_TOKENS', 'false', 'take access tokens from ?token= too'],
  ['ORG_CREATION', 'true', 'let users create organizations; false leaves it to administrators'],
  ['REQUIRE_SIGNIN', 'false', 'close the forge to anonymous callers'],
  ['PASSWORD_MIN_LENGTH', '8', 'least length of passwords, in bytes'],
  ['PASSWORD_CLASSES', 'none', 'what passwords must contain: lower, upper, digit, special'],
  ['ADMIN_USERNAME', 'administrator', 'name of the first administrator, made when there is none'],
  ['ADMIN_EMAIL', 'made up', 'its e-mail address'],
  ['ADMIN_PASSWORD', 'made up', 'its password; one that is made up is printed once, on standard error'],
  ['ADMIN_TOKEN', 'none', 'an access token for it, 40 hexadecimal digits, with every scope'],
  ['DATABASE_TIMEOUT', '15s', 'longest wait of a request for the database; then 503'],
  ['DATABASE_REQUEST_ID', 'false', 'name the request of a transaction in application_name of PostgreSQL'],
  ['RATE_LIMIT_ADDRESS', 'off', 'requests of one client address, for example 600/1m; more get 429'],
  ['RATE_LIMIT_ACCOUNT', 'off', 'requests of one account, for example 600/1m; more get 429'],
  ['SLOW_STATEMENT', '1s', 'statements that take longer make a line in the log; off: none'],
  [
    'TEMPLATES_DIR',
    'none',
    'folder of gitignore, label and license templates beside or instead of the built-in',
  ],
  ['BODY_LIMIT', '1m', 'largest request body'],
  [
    'SECRET_KEY',
    'made in DATA_DIR',
    'encrypts what is secret in the database; several: the first is the current one',
  ],
  ['SECRET_KEY_LOST', 'none', 'accept: start once although the key of the database is lost'],
  ['ACTIONS_URL', 'https://github.com', 'where jobs clone actions from; self: from this server'],
  ['ACTIONS_LOG_LIMIT', '64m', 'how much of the log of a job is kept'],
  ['ACTIONS_LONGEST_JOB', '3h', 'a job that takes longer fails'],
  ['ACTIONS_LOGS_KEPT', '365d', 'how long logs of jobs are kept'],
  ['ACTIONS_RUNS_KEPT', 'for ever', 'how long runs are kept, for example 365d'],
  ['RUNNER_TOKEN', 'none', 'what runners may register with from the start, 32 characters or more'],
  [
    'WEBHOOK_ALLOWED_HOSTS',
    'external',
    'where webhooks may go: external, private, loopback, *, networks, names',
  ],
  ['WEBHOOK_TIMEOUT', '5s', 'longest time of one attempt to deliver a webhook'],
  ['WEBHOOK_HISTORY', '168h', 'how long finished deliveries are kept, or how many of each webhook'],
  ['CRON', 'none', 'schedules of tasks, for example git_gc_repos=@weekly;check_repo_stats=-'],
  ['PACKAGE_FILE_LIMIT', '2g', 'largest file of a package'],
  ['S3_URL', 'none', 'keep files of packages in this store: https://endpoint/bucket'],
  ['S3_REGION', 'by the address', 'region of the store'],
  ['S3_ACCESS_KEY_ID', 'none', 'who the server is at the store'],
  ['S3_SECRET_ACCESS_KEY', 'none', 'its secret'],
  ['S3_SECRET_ACCESS_KEY_FILE', 'none', 'a file with its secret in the first line'],
  [
    'SITE_WRITES',
    'open',
    'who may change news and media: open: everybody; token: administrators with a token; off: nobody',
  ],
  ['STREAM_LIMIT', '10000', 'event streams that stay open at one time; more get 503'],
  ['SESSION_MAX_AGE', 'off', 'end sessions that were never ended after this time, for example 12h'],
]

/** Commands that do not run on an open database. */
const processCommands: readonly Pick<Command, 'name' | 'usage' | 'summary'>[] = [
  { name: 'serve', usage: '', summary: 'start the server (also without any word)' },
  { name: 'migrate', usage: '', summary: 'bring the schema of the database up to date and stop' },
  {
    name: 'backup',
    usage: '<file>',
    summary: 'write database, repositories and packages to one file, also while serving',
  },
  {
    name: 'restore',
    usage: '[--verify] <file>',
    summary: 'restore a backup into an empty database and DATA_DIR; --verify only checks the file',
  },
]

const all = [...processCommands, ...commands]
const rowOf = ({ name, usage, summary }: (typeof all)[number]) =>
  [`${name} ${usage}`.trim(), summary] as const

/** Help for the command named by these words, or for all commands that begin with them; undefined without a match. */
export function helpFor(words: readonly string[]): string | undefined {
  const matches = all.filter(({ name }) => {
    const own = name.split(' ')
    return own[0] === words[0] && (words[1] === undefined || own[1] === undefined || own[1] === words[1])
  })
  const [only] = matches
  if (!only) return undefined
  if (matches.length > 1) return ['Usage: forgehall [command]', '', ...table(matches.map(rowOf))].join('\n')
  const [usage, summary] = rowOf(only)
  return `Usage: forgehall ${usage}\n\n  ${summary}`
}

/** The text of `--help`. */
export function helpText(version: string): string {
  return [
    `forgehall ${version}`,
    '',
    'Usage: forgehall [command]',
    '',
    ...table(all.map(rowOf)),
    '',
    'Environment:',
    ...table(environment.map(([name, fallback, meaning]) => [name, `${meaning} (${fallback})`] as const)),
  ].join('\n')
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
