import type { Sql } from '../../db/sql.ts'
import { preferencesOf } from '../../forge/accounts/account-store.ts'
import { type Activity, activityOf } from '../../forge/activity/activity-store.ts'
import type { OnSubject } from '../../forge/auth/access.ts'

/**
 * What an account has made, opened and published where everybody may see it, the newest first. Of one that hides its
 * activity (`hide_activity`), only itself and administrators see it.
 */
export async function shownActivity(
  sql: Sql,
  { subject, me }: OnSubject,
  count: number,
): Promise<readonly Activity[]> {
  const { hides_activity } = await preferencesOf(sql, subject.id)
  const isHidden = hides_activity && me?.id !== subject.id && !me?.is_admin
  return isHidden ? [] : activityOf(sql, subject.id, count)
}
