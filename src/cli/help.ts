import type { Command } from './command.ts'
import { commands } from './run.ts'

/** One line per environment variable: name, default, meaning. */
const environment: readonly (readonly [name: string, fallback: string, meaning: string])[] = [
  ['PORT', '3000', 'port to listen on; 0: any free one'],
  ['HOST', 'all', 'address to listen on, for example 127.0.0.1'],
  ['PUBLIC_URL', 'http://localhost:PORT/', 'address at which clients reach the server'],
  [
    'SSH_URL',
    'none',
    'address of git over SSH, for example ssh://git@forge.example.org; see docs/operating.md',
  ],
  ['DATABASE_URL', 'none', 'postgres://…; without it the server uses an embedded PostgreSQL in DATA_DIR'],
  ['DATA_DIR', './data', 'folder for all data of the server'],
  ['LOG_LEVEL', 'info', 'debug, info, warn, error or silent'],
  ['POOL_SIZE', '10', 'connections to PostgreSQL, with DATABASE_URL'],
  ['METRICS_PORT', 'none', 'port for GET /metrics in the Prometheus format; 0: any free one'],
  ['METRICS_HOST', '127.0.0.1', 'address for METRICS_PORT'],
  ['METRICS_TOKEN', 'none', 'serve GET /metrics on the main port to clients that send this bearer token'],
  ['QUEUE_LIMIT', '1000', 'requests that may wait for the database; further ones get 503'],
  [
    'TRUST_PROXY',
    'loopback',
    'proxies whose X-Forwarded headers are trusted: none, or addresses, networks, loopback, private',
  ],
  ['QUERY_TOKENS', 'false', 'also accept access tokens in ?token='],
  ['ORG_CREATION', 'true', 'let users create organizations; false: only administrators may'],
  ['REQUIRE_SIGNIN', 'false', 'refuse anonymous callers in the forge'],
  ['PASSWORD_MIN_LENGTH', '8', 'minimum length of passwords, in bytes'],
  ['PASSWORD_CLASSES', 'none', 'characters that passwords must contain: lower, upper, digit, special'],
  ['ADMIN_USERNAME', 'administrator', 'name of the first administrator, created if there is none'],
  ['ADMIN_EMAIL', 'generated', 'e-mail address of the first administrator'],
  [
    'ADMIN_PASSWORD',
    'generated',
    'password of the first administrator; a generated one is printed once, on standard error',
  ],
  ['ADMIN_TOKEN', 'none', 'access token of the first administrator with every scope; 40 hexadecimal digits'],
  ['DATABASE_TIMEOUT', '15s', 'how long a request waits for the database before it gets 503'],
  ['DATABASE_REQUEST_ID', 'false', "put the request id of a transaction into PostgreSQL's application_name"],
  [
    'RATE_LIMIT_ADDRESS',
    'off',
    'rate limit per client address, for example 600/1m; further requests get 429',
  ],
  ['RATE_LIMIT_ACCOUNT', 'off', 'rate limit per account, for example 600/1m; further requests get 429'],
  ['SIGNING_KEY_FILE', 'none', 'Ed25519 key without a passphrase, with which the server signs its commits'],
  ['GIT_START_TIMEOUT', '2m', 'how long a clone, fetch or push may take until git has started'],
  ['GIT_READ_TIMEOUT', '60s', 'longest run of git that reads commits or files'],
  ['GIT_TRANSFER_TIMEOUT', '1h', 'longest clone, fetch, push, archive or difference'],
  ['GIT_READ_MEMORY', '512m', 'memory of a git process that reads commits or files'],
  ['GIT_TRANSFER_MEMORY', '2g', 'memory of a git process that packs objects or receives a push'],
  [
    'TEMPLATES_DIR',
    'none',
    'folder of gitignore, label and license templates that extend or replace the built-in ones',
  ],
  ['BODY_LIMIT', '1m', 'maximum size of a request body'],
  [
    'SECRET_KEY',
    'generated in DATA_DIR',
    'key that encrypts secrets in the database; of several, the first is the current one',
  ],
  ['SECRET_KEY_LOST', 'none', 'accept: start once although the key of the database is lost'],
  ['ACTIONS_URL', 'https://github.com', 'where jobs clone actions from; self: from this server'],
  ['ACTIONS_LOG_LIMIT', '64m', 'maximum size of the stored log of a job'],
  ['ACTIONS_LONGEST_JOB', '3h', 'maximum duration of a job; longer ones fail'],
  ['ACTIONS_LOGS_KEPT', '365d', 'how long the server keeps job logs'],
  ['ACTIONS_RUNS_KEPT', 'for ever', 'how long the server keeps runs, for example 365d'],
  ['ACTIONS_ARTIFACTS_KEPT', '90d', 'how long artifacts are kept at most'],
  ['ACTIONS_ARTIFACTS_LIMIT', '10g', 'bytes of all artifacts of one repository'],
  ['RUNNER_TOKEN', 'none', 'registration token for runners of the whole site, 32 characters or more'],
  [
    'WEBHOOK_ALLOWED_HOSTS',
    'external',
    'where webhooks may connect to: external, private, loopback, *, networks, names',
  ],
  ['WEBHOOK_TIMEOUT', '5s', 'timeout of one attempt to deliver a webhook'],
  ['WEBHOOK_HISTORY', '168h', 'how long the server keeps finished deliveries, or how many per webhook'],
  ['CRON', 'none', 'schedules of tasks, for example git_gc_repos=@weekly;check_repo_stats=-'],
  ['PACKAGE_FILE_LIMIT', '2g', 'maximum size of a package file'],
  ['RELEASE_FILE_LIMIT', '2g', 'maximum size of a file of a release'],
  ['ISSUE_FILE_LIMIT', '100m', 'maximum size of a file of an issue or a comment'],
  ['MAIL_URL', 'none', 'server that takes mails: smtps://user:password@host; without it none are sent'],
  ['MAIL_FROM', 'none', 'sender of mails, for example Forge <forge@example.com>'],
  ['S3_URL', 'none', 'store package files in this S3-compatible store: https://endpoint/bucket'],
  ['S3_REGION', 'from the address', 'region of the store'],
  ['S3_ACCESS_KEY_ID', 'none', 'id of the access key for the store'],
  ['S3_SECRET_ACCESS_KEY', 'none', 'secret of the access key'],
  ['S3_SECRET_ACCESS_KEY_FILE', 'none', 'file with that secret in the first line'],
  [
    'SITE_WRITES',
    'open',
    'who may change news and media: open: everybody; token: administrators with a token; off: nobody',
  ],
  [
    'STREAM_LIMIT',
    '10000',
    'maximum number of event streams at a time, an eighth of them for one address; further ones get 503',
  ],
  [
    'SESSION_MAX_AGE',
    'off',
    'end presence sessions that clients did not end after this time, for example 12h',
  ],
]

/** Commands that do not run on an open database. */
const processCommands: readonly Pick<Command, 'name' | 'usage' | 'summary'>[] = [
  { name: 'serve', usage: '', summary: 'start the server (the default without a command)' },
  { name: 'migrate', usage: '', summary: 'bring the database schema up to date and exit' },
  {
    name: 'backup',
    usage: '<file>',
    summary: 'write database, repositories and packages to one file, also while the server runs',
  },
  {
    name: 'restore',
    usage: '[--verify] <file>',
    summary: 'restore a backup into an empty database and DATA_DIR; --verify only checks the file',
  },
  {
    name: 'ssh',
    usage: 'keys <type> <key>',
    summary: 'what sshd starts for git over SSH; see docs/operating.md',
  },
  { name: 'licenses', usage: '', summary: 'print the notices and licences of the libraries in this file' },
]

const all = [...processCommands, ...commands]
const rowOf = ({ name, usage, summary }: (typeof all)[number]) =>
  [`${name} ${usage}`.trim(), summary] as const

/** Help for the command that these arguments name, or for all commands that begin with them; undefined without a match. */
export function helpFor(args: readonly string[]): string | undefined {
  const matches = all.filter(({ name }) => {
    const [first, second] = name.split(' ')
    return first === args[0] && (args[1] === undefined || second === undefined || second === args[1])
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
