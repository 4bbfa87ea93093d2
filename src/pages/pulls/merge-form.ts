import type { MergeStyle } from '../../forge/pulls/merging/messages.ts'
import type { MergeOutlook } from '../../forge/pulls/merging/outlook.ts'
import { type Fields, field, opened, opener, tick } from '../form.ts'
import { type Html, html } from '../html.ts'

/** What each way of merging is called. */
const names: Readonly<Record<MergeStyle, string>> = {
  merge: 'Create a merge commit',
  rebase: 'Rebase, then fast-forward',
  'rebase-merge': 'Rebase, then create a merge commit',
  squash: 'Merge as one commit (squash)',
  'fast-forward-only': 'Fast-forward',
  'manually-merged': 'Mark as merged by hand',
}

interface MergeForms {
  /** The address of the pull request. */
  address: string
  outlook: MergeOutlook
  /** Whether the merge may wait until nothing is against it. */
  canWait: boolean
  /** The head that the page shows: it is merged, or nothing. */
  head: string
  /** Whether the head branch may be deleted after the merge; `isUsual`: as the repository says. */
  deletion: { isOffered: boolean; isUsual: boolean }
  /** The form as it was sent. */
  values: Fields
}

/** A form for each way of merging; the usual one is open. */
export function mergeForms({ outlook, ...parts }: MergeForms): Html | undefined {
  const isForced = outlook.refusals.length > 0
  const canForce = outlook.refusalsOfForced.length === 0
  const styles = outlook.styles.filter(
    ({ style }) => style === 'manually-merged' || !isForced || canForce || parts.canWait,
  )
  const sent = parts.values.style
  const first = styles.find(({ style }) => style === sent) ?? styles[0]
  if (!first) return undefined
  const others = styles.filter((each) => each !== first)
  const formOf = (each: typeof first) => mergeForm({ ...parts, ...each, isForced, canForce })
  return html`<h3>${names[first.style]}</h3>
${formOf(first)}
${
  others.length === 0
    ? undefined
    : html`<h3>Other ways</h3>
<div class="actions">${others.map((each) => opener(names[each.style], names[each.style], formOf(each)))}</div>`
}`
}

type MergeForm = Omit<MergeForms, 'outlook'> &
  MergeOutlook['styles'][number] & {
    isForced: boolean
    canForce: boolean
  }

function mergeForm(form: MergeForm): Html {
  const { address, head, deletion, values, style, message, isForced, canForce } = form
  const id = (name: string) => `${style}-${name}`
  const sent: Fields = values.style === style ? values : {}
  const isSent = values.style === style
  const isOn = (name: string, otherwise: boolean) => (isSent ? sent[name] === 'on' : otherwise)
  return html`${opened(address, { action: 'merge', style, head })}
${
  message &&
  html`${field({ name: 'title', id: id('title'), label: 'Title of the commit', value: sent.title ?? message.title, autocomplete: 'off' })}
${field({ name: 'message', id: id('message'), label: 'Message', value: sent.message ?? message.body.trim(), isLong: true, rows: 4, isOptional: true })}`
}
${
  style === 'manually-merged'
    ? field({
        name: 'commit',
        id: id('commit'),
        label: 'The commit that has the changes',
        value: sent.commit,
        hint: 'Its id; the base branch has it already.',
        autocomplete: 'off',
      })
    : undefined
}
${deletion.isOffered ? tick({ name: 'delete', id: id('delete'), label: 'Delete the head branch then', isOn: isOn('delete', deletion.isUsual) }) : undefined}
${isForced && canForce && style !== 'manually-merged' ? tick({ name: 'force', id: id('force'), label: 'Merge against the rule of the base branch', isOn: isOn('force', false), hint: 'You may do that here; the reasons above remain.' }) : undefined}
<div class="actions">${buttons(form)}</div></form>`
}

/** Merges now, where that is allowed, or as soon as it is. */
function buttons({ style, isForced, canForce, canWait }: MergeForm): Html {
  const isByHand = style === 'manually-merged'
  const now = html`<button${isForced && !isByHand ? html` class="admin-danger"` : undefined}>${names[style]}</button> `
  const later = html`<button class="quiet" name="wait" value="1">Merge when nothing is against it</button>`
  return html`${!isForced || canForce || isByHand ? now : undefined}${canWait && !isByHand ? later : undefined}`
}
