import { escapeSegments } from '../../protocol/escape-segments.ts'
import { issueWords } from './issues.ts'
import type { HookMessage, PushPayload, RefType, StatusPayload } from './payload.ts'
import type { UserFacts } from './subjects.ts'

/** An event in words, before a chat's own markup. */
export interface Notice {
  /** One sentence without markup. */
  readonly text: string
  /** Where it leads. */
  readonly url: string
  /** Whether it is news, change or loss, for the colour of a card. */
  readonly mood: 'new' | 'change' | 'gone'
  /** One per commit, newest first; empty for other events. */
  readonly commits: readonly { readonly id: string; readonly url: string; readonly text: string }[]
  readonly sender: UserFacts
}

/** Characters of a commit's first line that are shown. */
const longestSubject = 120

/** The words for an event; undefined for a push without commits, of which chats hear nothing. */
export function noticeOf(message: HookMessage): Notice | undefined {
  switch (message.event) {
    case 'push':
      return pushNotice(message.payload)
    case 'create': {
      const { ref, ref_type, repository, sender } = message.payload
      const url = `${repository.html_url}/src/${ref_type}/${escapeSegments(ref)}`
      return plain(
        'new',
        `${repository.full_name}: ${ref_type} ${ref} created by ${sender.login}`,
        url,
        sender,
      )
    }
    case 'delete': {
      const { ref, ref_type, repository, sender } = message.payload
      const text = `${repository.full_name}: ${ref_type} ${ref} deleted by ${sender.login}`
      return plain('gone', text, repository.html_url, sender)
    }
    case 'repository': {
      const { action, repository, sender } = message.payload
      const text = `Repository ${repository.full_name} ${action} by ${sender.login}`
      return plain(action === 'created' ? 'new' : 'gone', text, repository.html_url, sender)
    }
    case 'package': {
      const { action, package: of, sender } = message.payload
      const text = `Package ${of.owner.login}/${of.name} ${of.version} (${of.type}) ${action} by ${sender.login}`
      return plain(action === 'created' ? 'new' : 'gone', text, of.html_url, sender)
    }
    case 'status':
      return statusNotice(message.payload)
    default: {
      const { action, sender } = message.payload
      const { text, url } = issueWords(message)
      const mood = action === 'opened' || action === 'created' ? 'new' : 'change'
      return plain(action === 'deleted' ? 'gone' : mood, text, url, sender)
    }
  }
}

function plain(mood: Notice['mood'], text: string, url: string, sender: UserFacts): Notice {
  return { text, url, mood, commits: [], sender }
}

function statusNotice(status: StatusPayload): Notice {
  const { context, description, repository, sender, sha, state, target_url } = status
  const said = description === '' ? '' : `: ${clip(description, longestSubject)}`
  const text = `${repository.full_name}: ${context} is ${state} for commit ${sha.slice(0, 7)}${said}`
  // Whoever sets the status chooses its address.
  const url = /^https?:\/\//i.test(target_url) ? target_url : `${repository.html_url}/commit/${sha}`
  return plain('change', text, url, sender)
}

function pushNotice(push: PushPayload): Notice | undefined {
  const { total_commits: total, commits, repository, sender } = push
  if (total === 0 || commits.length === 0) return undefined
  const [type, name] = refOf(push.ref)
  const counted = total === 1 ? '1 commit' : `${total} commits`
  return {
    text: `${repository.full_name}: ${counted} pushed to ${type} ${name} by ${sender.login}`,
    url: total === 1 ? (commits[0]?.url ?? push.compare_url) : push.compare_url,
    mood: 'change',
    commits: commits.map(({ id, url, message, author }) => ({
      id: id.slice(0, 7),
      url,
      text: `${subjectOf(message)} (${author.name})`,
    })),
    sender,
  }
}

function refOf(ref: string): readonly [RefType, string] {
  return ref.startsWith('refs/tags/') ? ['tag', ref.slice(10)] : ['branch', ref.replace(/^refs\/heads\//, '')]
}

function subjectOf(message: string): string {
  const [subject = ''] = message.trimStart().split('\n')
  return clip(subject.trimEnd(), longestSubject)
}

/** At most `most` characters; what is cut off is shown by an ellipsis. */
export function clip(text: string, most: number): string {
  const characters = [...text]
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}
