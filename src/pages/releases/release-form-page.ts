import { escapeSegments } from '../../forge/protocol/escape-segments.ts'
import type { Release } from '../../forge/releases/release.shape.ts'
import type { SignedInOnRepository } from '../../forge/repos/access.ts'
import { askedForm, type Fields, field, opened, opener } from '../form.ts'
import { bytesOf, type Html, html } from '../html.ts'
import { card, listOf } from '../layout.ts'
import { rowOf } from '../list.ts'
import { describedFields, type FieldDescription, fieldsFrom } from '../operations/described.ts'
import { noticeOf } from '../operations/fields.ts'
import type { OnRequest } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { repositoryPage } from '../repositories/repository-page.ts'

const tag: FieldDescription = {
  name: 'tag_name',
  label: 'Tag',
  hint: 'One that is there, or a new one such as v1.0.0',
}
const target: FieldDescription = {
  name: 'target_commitish',
  label: 'At',
  hint: 'Where a new tag points: a branch, tag or commit; empty: the default branch',
  isOptional: true,
}
const rest: readonly FieldDescription[] = [
  { name: 'name', label: 'Title', isOptional: true },
  { name: 'body', label: 'Notes', hint: 'Markdown', kind: 'long', isOptional: true },
  {
    name: 'draft',
    label: 'Draft',
    kind: 'tick',
    hint: 'Only those who may change it see it, and its tag is not made yet.',
  },
  { name: 'prerelease', label: 'Prerelease', kind: 'tick', hint: 'It is not ready for everybody.' },
]

/** What the forms that make and change a release ask for. */
export const releaseFields: readonly FieldDescription[] = [tag, target, ...rest]

type Writer = SignedInOnRepository & OnRequest

interface Shown {
  done?: string | undefined
  /** A form as it was sent. */
  values?: Fields
  refusal?: Refusal
}

/** The page of the form that makes a release. */
export function newReleasePage(caller: Writer, { values = {}, refusal }: Shown): Promise<string> {
  const main = html`<h2>New release</h2>
${noticeOf(undefined, refusal)}
${opened(`${homeOf(caller)}/releases/new`)}
<div class="card">${describedFields(releaseFields, { values, refusal, first: 'tag_name' })}
<p class="hint">Files are added on the next page. The source of the tag can be downloaded with the release.</p>
<button>Make the release</button></div></form>`
  return releasesPage(caller, 'New release', main)
}

/** The page of the forms that change a release. */
export function editReleasePage(
  caller: Writer,
  release: Release,
  { done, values = {}, refusal }: Shown,
): Promise<string> {
  const address = `${homeOf(caller)}/releases/edit/${escapeSegments(release.tag_name)}`
  const isEdit = values.action === 'edit'
  const written = isEdit ? { values, refusal } : { values: fieldsFrom(releaseFields, release) }
  const title = release.name || release.tag_name
  const main = html`<h2>Change <a href="${release.html_url}">${title}</a></h2>
${noticeOf(done, refusal)}
<div class="panel">
<div class="column">${card('release', 'Release')`${opened(address, { action: 'edit' })}
${describedFields(releaseFields, written)}
<button>Save</button></form>`}</div>
<div class="column">
${filesSection(caller, release, { address, refusal })}
${card('delete', 'Delete')`${askedForm({
  address,
  text: 'Delete the release',
  question: `Delete ${title} and its files? Its tag stays. Nobody can undo this.`,
  answer: 'Delete the release',
  fields: { action: 'delete' },
})}`}
</div>
</div>`
  return releasesPage(caller, `Change ${title}`, main)
}

interface FilesShown {
  address: string
  refusal: Refusal | undefined
}

function filesSection(caller: Writer, { id, assets }: Release, { address, refusal }: FilesShown): Html {
  const entries = assets.map(({ id: file, name, size, browser_download_url }) =>
    rowOf(
      html`<a href="${browser_download_url}">${name}</a>`,
      bytesOf(size),
      html`${opener(
        'Rename',
        `Rename ${name}`,
        html`${opened(address, { action: 'rename-file', file })}
${field({ name: 'name', id: `name-${file}`, label: 'Name', value: name, autocomplete: 'off' })}
<button class="small">Rename</button></form>`,
      )}${askedForm({
        address,
        text: 'Delete',
        label: `Delete ${name}`,
        question: `Delete the file ${name}? Nobody can undo this.`,
        answer: 'Delete the file',
        fields: { action: 'delete-file', file },
      })}`,
    ),
  )
  const fault = refusal?.field === 'attachment' ? refusal.sentence : undefined
  return card('files', 'Files')`${listOf(entries, 'No files yet.')}
<form method="post" enctype="multipart/form-data" action="${homeOf(caller)}/releases/files/${id}">
<div class="field"><label for="attachment">Add a file</label>
<input type="file" id="attachment" name="attachment" required${fault === undefined ? undefined : html` aria-describedby="attachment-fault" aria-invalid="true" autofocus`}>
${fault === undefined ? undefined : html`<p class="fault" id="attachment-fault">${fault}</p>`}</div>
<button class="quiet">Add the file</button></form>`
}

const homeOf = ({ request, repo }: Writer) => `${request.from.host}${repo.owner.name}/${repo.name}`

function releasesPage(caller: Writer, title: string, main: Html): Promise<string> {
  const { from, sql } = caller.request
  return repositoryPage({ host: from.host, sql, caller, current: 'releases', title, main })
}
