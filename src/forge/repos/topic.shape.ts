import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { moment } from '../accounts/user.shape.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import type { StoredTopic } from './topic-store.ts'

/** TopicName of the original: the topics of a repository. */
export const TopicName = shape('TopicName', { topics: v.array(v.string()) })

/** TopicResponse of the original: a topic that a search found. */
const TopicResponse = shape('TopicResponse', {
  id: int,
  topic_name: v.string(),
  repo_count: described(int, 'Public repositories with this topic'),
  created: moment,
  updated: moment,
})
type TopicResponse = v.InferOutput<typeof TopicResponse>

export function printTopic({ id, name, repository_count, ...row }: StoredTopic): TopicResponse {
  return {
    id,
    topic_name: name,
    repo_count: repository_count,
    created: printTime(row.created_at, EPOCH),
    updated: printTime(row.updated_at, EPOCH),
  }
}

/** The reply to a search for topics. */
export const TopicSearch = v.object({ topics: v.array(TopicResponse) })
