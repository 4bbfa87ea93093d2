import type { Sql } from '../../db/sql.ts'
import type { Account } from '../../forge/accounts/account-store.ts'
import { organizationsToCreateIn } from '../../forge/repo-lifecycle/transfer-store.ts'
import { choice } from '../form.ts'
import type { Html } from '../html.ts'

/** How many organizations a form offers. */
const maximum = 100

/** A choice of who gets a new repository: the person, or an organization in which the person may create some. */
export async function ownerChoice(
  sql: Sql,
  me: Pick<Account, 'id' | 'name'>,
  { label, value = me.name }: { label: string; value?: string | undefined },
): Promise<Html> {
  const owners = [me.name, ...(await organizationsToCreateIn(sql, me.id, maximum))]
  return choice({ name: 'owner', label, value, options: owners.map((each) => [each, each]) })
}
