import { reaches } from './reach.ts'

/** Files that take long: they begin first, so that none of them runs alone at the end. */
const long = [
  'forge/pairs/pairs',
  'pages/looks/looks-browser',
  'pages/day/day-browser',
  'forge/code/oracle',
  'forge/fields',
  'pages/browser',
  'pages/site/restart',
]

/**
 * Files that test nothing of the database, though they import what opens one: a PostgreSQL server is not asked for them
 * again. The operations that they call have tests of their own, on both databases.
 */
const withoutDatabase: readonly { name: string; why: string }[] = [
  { name: 'actions/runner/acceptance', why: 'tests two encodings of the runner protocol' },
  {
    name: 'actions/trigger/issues',
    why: 'tests which events start a workflow; `trigger` does so on a server',
  },
  {
    name: 'actions/trigger/pulls',
    why: 'tests which events start a workflow; `trigger` does so on a server',
  },
  {
    name: 'actions/trigger/release',
    why: 'tests which events start a workflow; `trigger` does so on a server',
  },
  { name: 'cli/help', why: 'its commands open no database' },
  { name: 'cli/interrupt', why: 'tests what signals do to commands' },
  { name: 'cli/nginx', why: 'tests what the configuration of nginx lets through' },
  { name: 'cli/old-node', why: 'its commands open no database' },
  { name: 'cli/output', why: 'tests what becomes of printed lines' },
  { name: 'cli/seed/', why: 'the seed calls operations of the API' },
  { name: 'cli/sshd', why: 'tests what the configuration of sshd lets through' },
  { name: 'cli/tour', why: 'tests the commands that a page shows' },
  { name: 'forge/audit/code', why: 'tests which ways to change code are recorded' },
  {
    name: 'forge/audit/recorded',
    why: 'tests which operations are recorded, each in one session that it takes back',
  },
  { name: 'forge/auth/client', why: "tests what another server's client makes of answers" },
  { name: 'forge/code/archives', why: 'tests what git makes of commits' },
  { name: 'forge/code/chosen-contents', why: 'tests what git holds' },
  { name: 'forge/code/commits', why: 'tests what git holds' },
  { name: 'forge/code/contents', why: 'tests what git holds' },
  { name: 'forge/code/editorconfig', why: 'tests what git holds' },
  { name: 'forge/code/git-objects', why: 'tests what git holds' },
  { name: 'forge/code/hostile-repositories', why: 'tests what bounds runs of git' },
  { name: 'forge/code/oracle', why: 'compares answers with what git says' },
  { name: 'forge/code/patches', why: 'tests what git holds' },
  { name: 'forge/code/raw', why: 'tests files that git holds' },
  { name: 'forge/code/same-answers', why: 'tests what git holds' },
  { name: 'forge/fields', why: 'tests what declarations promise of single fields' },
  {
    name: 'forge/held-changes',
    why: 'tests requests whose body comes late; `refusals` asks all operations on a server',
  },
  { name: 'forge/issue-templates/', why: 'tests what git holds' },
  { name: 'forge/misc/', why: 'tests templates and rendered texts' },
  { name: 'forge/packages/npm/npm-client', why: 'tests what the program npm makes of answers' },
  {
    name: 'forge/protection/protected-pushes',
    why: 'tests what rules refuse; `branch-protections` stores them on a server',
  },
  { name: 'forge/pulls/reviews/code-owners', why: 'tests a file that git holds' },
  { name: 'forge/push/held-git', why: 'tests requests that wait for git' },
  { name: 'forge/push/notes', why: 'tests what git holds' },
  { name: 'forge/push/push-options', why: 'tests what git sends with a push' },
  { name: 'forge/repos/licenses/', why: 'tests what git holds' },
  { name: 'forge/ssh-keys/gpg-signatures', why: 'tests signatures that gpg has made' },
  { name: 'forge/ssh-keys/server-key', why: 'tests signatures of the server' },
  { name: 'forge/ssh-keys/signatures', why: 'tests signatures that ssh-keygen has made' },
  {
    name: 'forge/units-off',
    why: 'tests what operations are not found; `refusals` asks all of them on a server',
  },
  { name: 'http/listener/', why: 'tests sockets, and what happens before a handler' },
  { name: 'http/pipeline/', why: 'tests what happens before and after a handler' },
  { name: 'http/server/', why: 'tests sockets, and what happens before and after a handler' },
  { name: 'pages/addresses', why: 'tests that the links of answers and pages lead to routes' },
  { name: 'pages/admin-browser', why: 'tests what a browser makes of pages and scripts' },
  { name: 'pages/admin/', why: 'its pages call operations of the API' },
  { name: 'pages/browser', why: 'tests what a browser makes of pages and scripts' },
  { name: 'pages/code', why: 'tests pages of what git holds' },
  { name: 'pages/code-browser', why: 'tests what a browser makes of pages and scripts' },
  { name: 'pages/code-clients', why: 'tests pages of what git holds' },
  { name: 'pages/code-readers', why: 'tests what processes of git send' },
  { name: 'pages/code/', why: 'tests pages of what git holds' },
  { name: 'pages/day/', why: 'tests what a browser makes of pages and scripts' },
  { name: 'pages/explore', why: 'its pages call the functions of the lists of the API' },
  { name: 'pages/feed', why: 'tests the feed, which has what lists have' },
  { name: 'pages/issues/', why: 'its pages call operations of the API' },
  { name: 'pages/lists/', why: 'tests that the choices of lists lead to what they say' },
  { name: 'pages/live-browser', why: 'tests what a browser makes of pages and scripts' },
  { name: 'pages/looks/', why: 'tests what a browser makes of pages and scripts' },
  { name: 'pages/milestones', why: 'its pages call the functions of the API' },
  { name: 'pages/organizations/', why: 'its pages call operations of the API' },
  { name: 'pages/owned/', why: 'its pages call operations of the API' },
  { name: 'pages/packages', why: 'its pages call the functions of the API' },
  { name: 'pages/pages', why: 'tests what all pages have in common' },
  { name: 'pages/person/', why: 'its pages call operations of the API' },
  { name: 'pages/program-lines', why: 'tests the lines that pages show for programs' },
  { name: 'pages/pulls/', why: 'its pages call operations of the API' },
  { name: 'pages/readme', why: 'tests pages of what git holds' },
  { name: 'pages/releases/', why: 'its pages call operations of the API' },
  { name: 'pages/repositories/', why: 'its pages call operations of the API' },
  { name: 'pages/runs/', why: 'its pages call the functions of the API' },
  { name: 'pages/session/declared', why: 'tests what pages declare' },
  { name: 'pages/session/every-form', why: 'its forms call operations of the API' },
  { name: 'pages/session/origin', why: 'its requests are refused before a handler' },
  { name: 'pages/settings-browser', why: 'tests what a browser makes of pages and scripts' },
  { name: 'pages/site/editor-browser', why: 'tests what a browser makes of pages and scripts' },
  { name: 'walk/walks', why: 'counts the files that requests enter, on the embedded database' },
  { name: 'web/', why: 'tests the API documents, which are made of declarations' },
]

/** A name is that of a file, or with a slash at its end that of a folder. */
const isOf = (name: string) => (path: string) =>
  name.endsWith('/') ? path.includes(`/${name}`) : path.endsWith(`/${name}.test.js`)

/** The files in the order in which they are to begin. */
export function inOrder(files: readonly string[]): string[] {
  const isLong = (path: string) => long.some((name) => isOf(name)(path))
  return [...files.filter(isLong), ...files.filter((path) => !isLong(path))]
}

/**
 * Those of all files that have to run on a PostgreSQL server after they ran on the embedded database.
 * @throws Error if an exception names a file that is not there
 */
export function forServer(files: readonly string[]): string[] {
  for (const name of [...long, ...withoutDatabase.map((each) => each.name)])
    if (!files.some(isOf(name))) throw new Error(`There is no test file or folder ${name}`)
  const tests = (path: string) => !withoutDatabase.some(({ name }) => isOf(name)(path))
  return files.filter((path) => reaches(path, 'DATABASE_URL') && tests(path))
}
