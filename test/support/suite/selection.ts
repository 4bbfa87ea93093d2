import { reaches } from './reach.ts'

/** Files that take long: they begin first, so that none of them runs alone at the end. */
const long = ['forge/pairs/pairs', 'pages/browser', 'web/generated-client']

/**
 * Files that test nothing of the database, though they import what opens one: a PostgreSQL server is not asked for them
 * again. The operations that they call have tests of their own, on both databases.
 */
const withoutDatabase: readonly { name: string; why: string }[] = [
  { name: 'cli/help', why: 'its commands open no database' },
  { name: 'cli/nginx', why: 'tests what the configuration of nginx lets through' },
  { name: 'cli/old-node', why: 'its commands open no database' },
  { name: 'pages/browser', why: 'tests what a browser makes of pages and scripts' },
  { name: 'web/generated-client', why: 'tests the types that are made of the API documents' },
]

const isOf = (name: string) => (path: string) => path.endsWith(`/${name}.test.js`)

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
    if (!files.some(isOf(name))) throw new Error(`There is no test file ${name}`)
  const tests = (path: string) => !withoutDatabase.some(({ name }) => isOf(name)(path))
  return files.filter((path) => reaches(path, 'DATABASE_URL') && tests(path))
}
