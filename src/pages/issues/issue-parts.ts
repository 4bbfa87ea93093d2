import type { Sql } from '../../db/sql.ts'
import { pageOfAssignable } from '../../forge/issues/assignee-store.ts'
import { pageOfLabels } from '../../forge/labels/label-store.ts'
import { pageOfMilestones } from '../../forge/milestones/milestone-store.ts'
import type { OnRepository } from '../../forge/repos/access.ts'

/** How many labels of a repository and of its owner, milestones and people a page offers. */
const maximum = 50

/** What the issues of a repository can have: the first labels and people by name, and open milestones. */
export async function issueParts(sql: Sql, { repo }: Pick<OnRepository, 'repo'>) {
  const first = { page: 1, limit: maximum }
  const [ofRepository, ofOwner, milestones, people] = await Promise.all([
    pageOfLabels(sql, { repository: repo.id }, 'alphabetically', first),
    pageOfLabels(sql, { organization: repo.owner.id }, 'alphabetically', first),
    pageOfMilestones(sql, repo.id, { state: 'open', name: '' }, first),
    pageOfAssignable(sql, repo.id, first),
  ])
  return {
    labels: [...ofRepository.rows, ...ofOwner.rows],
    milestones: milestones.rows,
    people: people.rows.map(({ name }) => name),
  }
}

export type IssueParts = Awaited<ReturnType<typeof issueParts>>
