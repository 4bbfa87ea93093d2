import { mapPage, pageFrom } from '../../db/page.ts'
import { pageQuery } from '../../http/route/page.ts'
import { found, notFound, Problem } from '../../http/route/problem.ts'
import { noBody, pagedIn } from '../../http/route/sends.ts'
import { record, repositoryTarget } from '../audit/audit-trail.ts'
import { everyone } from '../auth/access.ts'
import { queryText } from '../protocol/query.ts'
import { type ForgeContext, route } from '../route.ts'
import { repoAdmin, repoSeen, type SignedInOnRepository } from './access.ts'
import { RepoTopicOptions } from './repo.option.ts'
import { lockRepository, repositoryById, updateRepository } from './repo-store.ts'
import { printTopic, TopicName, TopicSearch } from './topic.shape.ts'
import { pageOfTopics } from './topic-store.ts'

/** Topics: short labels for finding repositories. */

const TOPICS_MAX = 25
const NAME_MAX = 35

export const repoListTopics = route('GET /repos/{owner}/{repo}/topics', {
  summary: 'Topics of a repository, by name',
  access: repoSeen(),
  query: pageQuery(),
  returns: pagedIn(TopicName),
  shared: 'until written',
  handler: async ({ caller, query, sql }) => {
    const { topics } = found(await repositoryById(sql, caller.repo.id))
    return pageFrom(topics, query)
  },
})

export const repoUpdateTopics = route('PUT /repos/{owner}/{repo}/topics', {
  summary: 'Replace the topics of a repository',
  access: repoAdmin(),
  body: RepoTopicOptions,
  returns: noBody(204),
  handler: async (context) => {
    const names = new Set(context.body.topics.map(normalized).filter((name) => name !== ''))
    const valid = [...names].filter(isTopic)
    if (valid.length > TOPICS_MAX) throw invalidTopics('Exceeding maximum number of topics per repo', null)
    const invalid = [...names].filter((name) => !isTopic(name))
    if (invalid.length > 0) throw invalidTopics('Topic names are invalid', invalid)
    await changeTopics(context, () => valid)
  },
})

export const repoAddTopic = route('PUT /repos/{owner}/{repo}/topics/{topic}', {
  summary: 'Add a topic to a repository; 204 also if it has the topic',
  access: repoAdmin(),
  fails: [422],
  returns: noBody(204),
  handler: async (context) => {
    const name = topicIn(context.params.topic)
    await changeTopics(context, (topics) => {
      if (topics.length >= TOPICS_MAX) throw invalidTopics('Exceeding maximum allowed topics per repo.')
      return [...topics, name]
    })
  },
})

export const repoDeleteTopic = route('DELETE /repos/{owner}/{repo}/topics/{topic}', {
  summary: 'Remove a topic from a repository',
  access: repoAdmin(),
  fails: [422],
  returns: noBody(204),
  handler: async (context) => {
    const name = topicIn(context.params.topic)
    await changeTopics(context, (topics) => {
      if (!topics.includes(name)) throw notFound()
      return topics.filter((each) => each !== name)
    })
  },
})

export const topicSearch = route('GET /topics/search', {
  summary: 'Topics of public repositories whose names contain a text, the most used first',
  access: everyone('repository'),
  query: { q: queryText, ...pageQuery() },
  returns: pagedIn(TopicSearch),
  shared: 'until written',
  handler: async ({ query, sql }) => mapPage(await pageOfTopics(sql, query.q, query), printTopic),
})

const normalized = (topic: string) => topic.toLowerCase().trim()

const isTopic = (name: string) => name.length <= NAME_MAX && /^[a-z0-9][-.a-z0-9]*$/.test(name)

/** The normalized topic of a path. @throws Problem 422 */
function topicIn(param: string): string {
  const name = normalized(param)
  if (isTopic(name)) return name
  throw invalidTopics('Topic name is invalid', name)
}

/** A 422 as the original sends it: `invalid` is a name, a list of names, or null for too many. */
function invalidTopics(message: string, invalid?: string | string[] | null): Problem {
  const members = invalid === undefined ? {} : { invalidTopics: invalid }
  return new Problem(422, message, { form: 'brief', members })
}

/**
 * Sets the topics of a repository; `choose` runs while the repository is locked.
 * @throws Problem 404 gone, and errors of `choose`
 */
function changeTopics(
  context: ForgeContext<SignedInOnRepository>,
  choose: (topics: readonly string[]) => readonly string[],
): Promise<void> {
  const { caller, begin } = context
  return begin(async (tx) => {
    const old = found(await lockRepository(tx, caller.repo.id))
    const topics = [...new Set(choose(old.topics))].sort()
    if (topics.join() === old.topics.join()) return
    await updateRepository(tx, old, { topics })
    const target = repositoryTarget(old, caller.subject)
    await record(tx, context, { action: 'repository.edited', target, details: { topics } })
  })
}
