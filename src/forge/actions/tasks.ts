import { mapPage } from '../../db/page.ts'
import { pageQuery } from '../../http/route/page.ts'
import { counted } from '../../http/route/sends.ts'
import { actionsSeen } from '../repos/access.ts'
import { route } from '../route.ts'
import { pageOfTasks } from './job-list-store.ts'
import { ActionTaskResponse, printTask } from './task.shape.ts'

export const ListActionTasks = route('GET /repos/{owner}/{repo}/actions/tasks', {
  summary: 'The work of runners on jobs of a repository, of the newest job first',
  access: actionsSeen(),
  query: pageQuery(),
  returns: counted(ActionTaskResponse),
  shared: 'until written',
  handler: async ({ caller, query, sql, from }) =>
    mapPage(await pageOfTasks(sql, caller.repo.id, query), (task) => printTask(task, from.host)),
})
