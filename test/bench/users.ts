import { listBench, type Question } from './support/lists.ts'
import { fillUsers } from './support/users.ts'

const questions: readonly Question[] = [
  ['admin/users?limit=50&sort=name', 10],
  ['admin/users?limit=50&sort=name&order=desc', 10],
  ['admin/users?limit=50&sort=created', 10],
  ['admin/users?limit=50&sort=created&order=desc', 10],
  ['admin/users?limit=50&sort=updated', 10],
  ['admin/users?limit=50&sort=updated&order=desc', 10],
  ['admin/users?limit=50&sort=id', 10],
  ['admin/users?limit=50&sort=id&order=desc', 10],
  ['admin/users?limit=50&page=10000', 300],
  ['admin/users?limit=50&sort=created&page=10000', 300],
  ['admin/users?limit=50&is_admin=true', 10],
  ['admin/users?limit=50&visibility=private&sort=updated', 10],
  // A prefix of few names, and of every sixteenth.
  ['admin/users?limit=50&q=ada1000%25', 30],
  ['admin/users?limit=50&q=ada%25', 2000],
  // Inside of few, of every seventeenth, of all.
  ['admin/users?limit=50&q=race12345', 30],
  ['admin/users?limit=50&q=lovelace', 2000],
  ['admin/users?limit=50&q=example', 2000],
  ['admin/users?limit=50&q=no+such+needle', 30],
  // Too short for the index: in none, and in many.
  ['admin/users?limit=50&q=qx', 2000],
  ['admin/users?limit=50&q=ad', 2000],
  ['admin/emails/search?limit=50&q=ada1000', 30],
  ['admin/emails/search?limit=50&q=race12345', 30],
  ['admin/emails/search?limit=50&q=example', 2000],
]

export const users = listBench({
  name: 'users',
  about:
    'Lists of users and searches among them, asked by an administrator one after another over one connection (so that \
nothing is shared), on a PostgreSQL server. What no index can serve, a needle that is met too often or has two \
characters only, costs a pass over the table: that is its bound.',
  questions,
  fill: fillUsers,
})
