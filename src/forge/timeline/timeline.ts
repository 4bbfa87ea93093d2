import { mapPage } from '../../db/page.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { timeOf } from '../issues/issue-filter.ts'
import { issueIn } from '../issues/issue-view.ts'
import { onIssue, queryTime } from '../protocol/query.ts'
import { issuesSeen } from '../repos/issue-access.ts'
import { route } from '../route.ts'
import { timelineOf } from './entries.ts'
import { TimelineComment } from './timeline.shape.ts'

export const issueGetCommentsAndTimeline = route('GET /repos/{owner}/{repo}/issues/{index}/timeline', {
  summary: 'Comments on an issue and what else happened to it, the oldest first',
  access: issuesSeen(),
  params: onIssue,
  ...pagesOf(TimelineComment),
  query: { since: queryTime, before: queryTime, ...pageQuery() },
  fails: [422],
  handler: async (context) => {
    const { query } = context
    const range = timeOf(query)
    return mapPage(await timelineOf(context, await issueIn(context), range, query), ({ entry }) => entry)
  },
})
