import type { StoredLabel } from '../../forge/labels/label-store.ts'
import { choice, type Fields, field, tick } from '../form.ts'
import { type Html, html } from '../html.ts'
import { labelBadge } from './issue-entry.ts'
import type { IssueParts } from './issue-parts.ts'

// The fields that say what an issue has: those of new issues, and of the forms that change one.

/** Boxes for labels, named `label-ID`. */
export const labelTicks = (
  labels: readonly Pick<StoredLabel, 'id' | 'name' | 'color' | 'description'>[],
  isOn: (id: number) => boolean,
): Html =>
  labels.length === 0
    ? html`<p class="hint">The repository has none.</p>`
    : html`${labels.map((label) => tick({ name: `label-${label.id}`, label: labelBadge(label), isOn: isOn(label.id) }))}`

/** Boxes for people, named `assignee-NAME`. */
export const assigneeTicks = (people: readonly string[], isOn: (name: string) => boolean): Html =>
  html`${people.map((name) => tick({ name: `assignee-${name}`, label: name, isOn: isOn(name) }))}`

/** A choice of a milestone by its id; 0: none. */
export const milestoneChoice = (
  milestones: readonly Pick<IssueParts['milestones'][number], 'id' | 'title'>[],
  value: string,
): Html => {
  const titles = new Map(milestones.map(({ id, title }) => [String(id), title]))
  return choice({ name: 'milestone', label: 'Milestone', value, options: [['0', 'None'], ...titles] })
}

/** The day until whose end an issue is to be done. */
export const dueField = (value: string | undefined, fault?: string): Html =>
  field({ name: 'due', label: 'Due', type: 'date', value, fault, isOptional: true, hint: 'Empty: no day' })

/** All of them, for an issue or a pull request that is not there yet; `values`: the form as it was sent. */
export const planFields = (
  { labels, people, milestones }: IssueParts,
  values: Fields,
  due: { value: string | undefined; fault: string | undefined },
): Html => html`<fieldset class="choice-list"><legend>Labels</legend>${labelTicks(labels, (id) => `label-${id}` in values)}</fieldset>
<fieldset class="choice-list"><legend>Assigned</legend>${assigneeTicks(people, (each) => `assignee-${each}` in values)}</fieldset>
${milestoneChoice(milestones, values.milestone ?? '0')}
${dueField(due.value, due.fault)}`

/** What these fields say, with the names of the API. */
export const planIn = (fields: Fields) => {
  const { milestone = '', due = '' } = fields
  return {
    labels: tickedIn(fields, 'label-').map(Number),
    assignees: tickedIn(fields, 'assignee-'),
    ...(milestone !== '' && { milestone: Number(milestone) }),
    ...(due !== '' && { due_date: endOfDay(due) }),
  }
}

/** The end of a day that was chosen, in UTC, as the API takes it. */
export const endOfDay = (day: string) => `${day}T23:59:59Z`

/** The rest of the names of fields that begin so: what was ticked. */
export const tickedIn = (
  fields: Readonly<Record<string, string>>,
  prefix: 'label-' | 'assignee-',
): string[] =>
  Object.keys(fields).flatMap((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : []))
