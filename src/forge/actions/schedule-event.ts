import { BOT_ID } from '../../actions/run/bot.ts'
import type { Sql } from '../../db/sql.ts'
import { accountById } from '../accounts/account.ts'
import { ghost } from '../accounts/ghost.ts'
import { LEVELS } from '../repos/access-level.ts'
import { printRepository, type Repository } from '../repos/repo.shape.ts'
import { repositoryById } from '../repos/repo-store.ts'
import { printUser, type User } from '../users/user.shape.ts'

/** Returns the repository and sender of a schedule event's payload. `host`: base URL of links. */
export function describeSchedule(sql: Sql, host: string) {
  return async (id: number): Promise<{ repository: Repository; sender: User } | undefined> => {
    const row = await repositoryById(sql, id)
    const owner = row && (await accountById(sql, row.owner_id))
    if (!owner) return undefined
    return {
      repository: printRepository(row, owner, { host, level: LEVELS.none, known: false }),
      sender: printUser((await accountById(sql, BOT_ID)) ?? ghost, undefined, host),
    }
  }
}
