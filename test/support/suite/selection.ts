import { reaches } from './reach.ts'

/** Files that take long: they begin first, so that none of them runs alone at the end. */
const long = [
  'forge/pairs/pairs',
  'forge/fields',
  'pages/browser',
  'pages/settings-browser',
  'web/generated-client',
]

/**
 * Files that test nothing of the database, though they import what opens one: a PostgreSQL server is not asked for them
 * again. The operations that they call have tests of their own, on both databases.
 */
const withoutDatabase: readonly { name: string; why: string }[] = [
  { name: 'actions/runner/acceptance', why: 'tests two encodings of the runner protocol' },
  { name: 'cli/help', why: 'its commands open no database' },
  { name: 'cli/nginx', why: 'tests what the configuration of nginx lets through' },
  { name: 'cli/old-node', why: 'its commands open no database' },
  { name: 'cli/output', why: 'tests what becomes of printed lines' },
  { name: 'cli/sshd', why: 'tests what the configuration of sshd lets through' },
  { name: 'cli/tour', why: 'tests the commands that a page shows' },
  {
    name: 'forge/audit/recorded',
    why: 'tests which operations are recorded, each in one session that it takes back',
  },
  { name: 'forge/auth/client', why: "tests what another server's client makes of answers" },
  { name: 'forge/fields', why: 'tests what declarations promise of single fields' },
  { name: 'forge/misc/', why: 'tests templates and rendered texts' },
  { name: 'forge/packages/npm/npm-client', why: 'tests what the program npm makes of answers' },
  { name: 'forge/push/held-git', why: 'tests requests that wait for git' },
  { name: 'http/pipeline/', why: 'tests what happens before and after a handler' },
  { name: 'http/listener/', why: 'tests sockets, and what happens before a handler' },
  { name: 'http/server/', why: 'tests sockets, and what happens before and after a handler' },
  { name: 'forge/code/archives', why: 'tests what git makes of commits' },
  { name: 'forge/code/git-objects', why: 'tests what git holds' },
  { name: 'forge/code/hostile-repositories', why: 'tests what bounds runs of git' },
  { name: 'forge/code/oracle', why: 'compares answers with what git says' },
  { name: 'forge/code/raw', why: 'tests files that git holds' },
  { name: 'forge/ssh-keys/gpg-signatures', why: 'tests signatures that gpg has made' },
  { name: 'forge/ssh-keys/signatures', why: 'tests signatures that ssh-keygen has made' },
  { name: 'pages/admin/', why: 'its pages call operations of the API' },
  { name: 'pages/addresses', why: 'tests that the links of answers and pages lead to routes' },
  { name: 'pages/admin-browser', why: 'tests what a browser makes of pages and scripts' },
  { name: 'pages/browser', why: 'tests what a browser makes of pages and scripts' },
  { name: 'pages/code', why: 'tests pages of what git holds' },
  { name: 'pages/code-browser', why: 'tests what a browser makes of pages and scripts' },
  { name: 'pages/code-clients', why: 'tests pages of what git holds' },
  { name: 'pages/code-readers', why: 'tests what processes of git send' },
  { name: 'pages/explore', why: 'its pages call the functions of the lists of the API' },
  { name: 'pages/issues/issue-browser', why: 'tests what a browser makes of pages and scripts' },
  { name: 'pages/issues/issues', why: 'its pages call the functions of the lists of the API' },
  { name: 'pages/lists/', why: 'tests that the choices of lists lead to what they say' },
  { name: 'pages/live-browser', why: 'tests what a browser makes of pages and scripts' },
  { name: 'pages/pulls/', why: 'its pages call operations of the API' },
  { name: 'pages/owned/', why: 'its pages call operations of the API' },
  { name: 'pages/readme', why: 'tests pages of what git holds' },
  { name: 'pages/milestones', why: 'its pages call the functions of the API' },
  { name: 'pages/packages', why: 'its pages call the functions of the API' },
  { name: 'pages/releases/releases', why: 'its pages call the functions of the API' },
  { name: 'pages/runs/', why: 'its pages call the functions of the API' },
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
