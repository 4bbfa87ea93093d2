import type { UserFacts } from '../../../background/domain-events.ts'
import { escapeSegments } from '../../protocol/escape-segments.ts'
import { issueSentence } from './issues.ts'
import { type HookMessage, type PayloadOf, refType, shortRef } from './payload.ts'
import { isPullMessage, pullSentence } from './pulls.ts'

/** An event as text, before it is formatted for a particular chat. */
export interface ChatMessage {
  /** One sentence without markup. */
  readonly text: string
  /** Where the text links to. */
  readonly url: string
  /** Whether something was created, changed or removed; determines the colour. */
  readonly kind: 'creation' | 'change' | 'removal'
  /** One entry per commit, newest first; empty for other events. */
  readonly commits: readonly { readonly id: string; readonly url: string; readonly text: string }[]
  readonly sender: UserFacts
}

/** Maximum length of a commit subject, in characters. */
const maxSubject = 120

/** The text for an event; undefined for what is not sent to chats: a push without commits, a job, a run. */
export function chatMessageOf(message: HookMessage): ChatMessage | undefined {
  switch (message.event) {
    case 'push':
      return pushMessage(message.payload)
    case 'create':
    case 'delete':
      return refMessage(message)
    case 'repository': {
      const { action, repository, sender } = message.payload
      const text = `Repository ${repository.full_name} ${action} by ${sender.login}`
      return plain(action === 'created' ? 'creation' : 'removal', text, repository.html_url, sender)
    }
    case 'fork': {
      const { forkee, repository, sender } = message.payload
      const text = `${forkee.full_name} forked to ${repository.full_name} by ${sender.login}`
      return plain('creation', text, repository.html_url, sender)
    }
    case 'package': {
      const { action, package: published, sender } = message.payload
      const text = `Package ${published.owner.login}/${published.name} ${published.version} (${published.type}) ${action} by ${sender.login}`
      return plain(action === 'created' ? 'creation' : 'removal', text, published.html_url, sender)
    }
    case 'release': {
      const { action, release, repository, sender } = message.payload
      const title = release.name || release.tag_name
      const text = `${repository.full_name}: release ${title} ${action} by ${sender.login}`
      if (action === 'deleted') return plain('removal', text, repository.html_url, sender)
      return plain(action === 'published' ? 'creation' : 'change', text, release.html_url, sender)
    }
    case 'status':
      return statusMessage(message.payload)
    case 'workflow_job':
    case 'workflow_run':
      return undefined
    default: {
      const { action, sender } = message.payload
      const { text, url } = isPullMessage(message) ? pullSentence(message) : issueSentence(message)
      const kind = action === 'opened' || action === 'created' ? 'creation' : 'change'
      return plain(action === 'deleted' ? 'removal' : kind, text, url, sender)
    }
  }
}

function plain(kind: ChatMessage['kind'], text: string, url: string, sender: UserFacts): ChatMessage {
  return { text, url, kind, commits: [], sender }
}

function refMessage(message: HookMessage & { event: 'create' | 'delete' }): ChatMessage {
  const { ref, ref_type, repository, sender } = message.payload
  const isNew = message.event === 'create'
  const text = `${repository.full_name}: ${ref_type} ${ref} ${isNew ? 'created' : 'deleted'} by ${sender.login}`
  if (!isNew) return plain('removal', text, repository.html_url, sender)
  return plain('creation', text, `${repository.html_url}/src/${ref_type}/${escapeSegments(ref)}`, sender)
}

function statusMessage(status: PayloadOf<'status'>): ChatMessage {
  const { context, description, repository, sender, sha, state, target_url } = status
  const suffix = description === '' ? '' : `: ${clip(description, maxSubject)}`
  const text = `${repository.full_name}: ${context} is ${state} for commit ${sha.slice(0, 7)}${suffix}`
  // The client that sets the status chooses this URL, so only http and https are accepted.
  const url = /^https?:\/\//i.test(target_url) ? target_url : `${repository.html_url}/commit/${sha}`
  return plain('change', text, url, sender)
}

function pushMessage(push: PayloadOf<'push'>): ChatMessage | undefined {
  const { total_commits: total, commits, repository, sender } = push
  if (total === 0 || commits.length === 0) return undefined
  const counted = total === 1 ? '1 commit' : `${total} commits`
  return {
    text: `${repository.full_name}: ${counted} pushed to ${refType(push.ref)} ${shortRef(push.ref)} by ${sender.login}`,
    url: total === 1 ? (commits[0]?.url ?? push.compare_url) : push.compare_url,
    kind: 'change',
    commits: commits.map(({ id, url, message, author }) => ({
      id: id.slice(0, 7),
      url,
      text: `${subjectOf(message)} (${author.name})`,
    })),
    sender,
  }
}

function subjectOf(message: string): string {
  const [subject = ''] = message.trimStart().split('\n')
  return clip(subject.trimEnd(), maxSubject)
}

/** Limits a text to `max` characters; an ellipsis marks the cut. */
export function clip(text: string, max: number): string {
  const characters = [...text]
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`
}
