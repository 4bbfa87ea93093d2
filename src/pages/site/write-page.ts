import { pictureLimits } from '../../forge/site-pictures.ts'
import type { PostFormat } from '../../site/news-store.ts'
import { ask, choice, type Faults, field, filesField, hiddenFields, pictureTypes } from '../form.ts'
import { bytesOf, type Html, html } from '../html.ts'
import { howTextsShow } from '../issues/text-files.ts'
import { card, page } from '../layout.ts'
import { newFormId } from '../operations/once.ts'
import type { FileLimits } from '../operations/sent-form.ts'
import { type Manager, managePath } from '../session/session.ts'
import { firstOf, headingOf, opening, refusalNotice } from './manage-form.ts'

/** What is written: a new post, a draft, or a published post that is corrected. */
export type Written = { kind: 'new' } | { kind: 'draft' | 'post'; id: number }

/** The fields of the form. */
export interface WriteFields {
  title: string
  content: string
  format: PostFormat
  /** `2026-01-31T09:30` in UTC, or "". */
  publish_at: string
  /** The version that the text was made from; "": it is new. */
  version: string
}

/** What the page shows. */
interface Parts {
  host: string
  caller: Manager
  written: Written
  fields: WriteFields
  faults?: Faults | undefined
  refused?: string | undefined
  /** The content as readers will see it. */
  preview?: Html | undefined
  /** What somebody else has saved meanwhile. */
  other?: Pick<WriteFields, 'title' | 'content'> | undefined
  /** Says that the draft is saved. */
  notice?: Html | undefined
}

const headings = { new: 'Write a post', draft: 'Draft', post: 'Edit the post' } as const

/** The files that the form takes: a few pictures, and texts as long as those of a form without files. */
export const pictureFiles = (): FileLimits => ({
  count: 8,
  maximum: pictureLimits.bytes,
  requireType: () => {},
  fields: 1024 * 1024,
})

const picturesHint = `PNG, JPEG, GIF or WebP: at most ${pictureFiles().count}, each of at most ${bytesOf(pictureLimits.bytes)}. ${howTextsShow}. Everybody finds them among the media, too.`

/** The path of the page below `/overview/manage`. */
export const writePath = (written: Written): string =>
  written.kind === 'new' ? '/posts/new' : `/${written.kind}s/${written.id}`

/** The page on which a post is written or corrected. */
export function writePage(parts: Parts): string {
  const { host, caller, written, fields, faults = {}, refused, preview, other, notice } = parts
  const first = firstOf(faults)
  const main = html`${headingOf(host, headings[written.kind])}
${notice}
${refusalNotice(refused, first !== undefined)}
${other ? otherSection(other) : undefined}
${preview ? previewSection(fields, preview) : undefined}
<div class="card">
<form method="post" enctype="multipart/form-data" action="${host}${managePath}${writePath(written)}">
${hiddenFields({ form_token: caller.formToken, ...newFormId(), version: fields.version === '' ? undefined : fields.version })}
${field({ name: 'title', label: 'Title', value: fields.title, fault: faults.title, hasFocus: first === 'title' || isUntouched(parts) })}
${field({ name: 'content', label: 'Text', value: fields.content, fault: faults.content, isLong: true, rows: 16, hasFocus: first === 'content' })}
${filesField({ label: 'Pictures', accept: pictureTypes, fault: faults.files, hint: picturesHint })}
<p class="hint">Or <a href="${host}${managePath}/media/new" target="_blank">send one with a title and a description</a> in another tab; its page then has the line that shows it in the text.</p>
${formatField(fields.format)}
${written.kind === 'post' ? undefined : timeField(fields, faults)}
<p class="actions">${
    written.kind === 'post'
      ? html`<button name="action" value="publish">Save the post</button>`
      : html`<button name="action" value="publish">Publish</button>
<button class="quiet" name="action" value="draft" formnovalidate>Save as draft</button>`
  }
<button class="quiet" name="action" value="preview" formnovalidate>Preview</button></p>
</form>
</div>
${written.kind === 'new' ? undefined : removal(host, caller, written)}`
  return page({ host, caller, title: headings[written.kind], main, current: 'manage' })
}

/** Whether the page is shown for the first time, without anything to look at before the form. */
const isUntouched = ({ refused, preview, notice, other }: Parts) =>
  refused === undefined && !preview && !notice && !other

const formatField = (format: PostFormat) =>
  choice({
    name: 'format',
    label: 'Kind of text',
    hint: 'In Markdown, **bold**, # headings, lists, links and pictures have their meaning.',
    value: format,
    options: { markdown: 'Markdown', plain: 'Plain text' },
  })

const timeField = (fields: WriteFields, faults: Faults) =>
  field({
    name: 'publish_at',
    label: 'Publish at',
    type: 'datetime-local',
    value: fields.publish_at,
    fault: faults.publish_at,
    isOptional: true,
    hint: 'In UTC. Left empty, or in the past: at once.',
    hasFocus: firstOf(faults) === 'publish_at',
  })

function previewSection({ title }: WriteFields, preview: Html): Html {
  return html`<section class="card preview" aria-labelledby="preview" tabindex="-1" autofocus>
<p class="meta" id="preview">Preview: nothing is published yet</p>
<article dir="auto"><h2>${title === '' ? 'Without a title' : title}</h2>
${preview}</article>
</section>`
}

/** The text of the other editor, above the own one, which the form keeps. */
const otherSection = ({ title, content }: Pick<WriteFields, 'title' | 'content'>) => html`
${card(
  'other',
  'What it says now',
)`<p>Your text is in the form below. Take over what you need; if you send the form again, your text replaces this one.</p>
<h3 dir="auto">${title}</h3>
<pre class="wrapped" dir="auto" tabindex="0">${content}</pre>`}`

const removal = (host: string, caller: Manager, { kind, id }: { kind: 'draft' | 'post'; id: number }) =>
  kind === 'post'
    ? ask(
        'Remove the post',
        'Remove the post',
        'Remove it from the site? The trash keeps it for some weeks.',
        opening({ host, caller }, { action: 'remove-post', id }),
        'Remove it',
      )
    : ask(
        'Discard the draft',
        'Discard the draft',
        'Discard this text? It cannot be restored.',
        opening({ host, caller }, { action: 'discard-draft', id }),
        'Discard it',
      )
