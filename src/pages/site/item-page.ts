import { pictureLimits } from '../../forge/site-pictures.ts'
import { choice, type Faults, type Fields, field, hiddenFields, pictureTypes } from '../form.ts'
import { type Html, html, webAddress } from '../html.ts'
import { card, page } from '../layout.ts'
import { newFormId } from '../operations/once.ts'
import { managePath } from '../session/session.ts'
import { firstOf, headingOf, type ManageContext, opening, refusalNotice } from './manage-form.ts'

interface More {
  faults?: Faults
  refused?: string
  /** What somebody else has saved meanwhile. */
  other?: { title: string; url: string; description: string } | undefined
}

type Context = Pick<ManageContext, 'caller' | 'from'>

/**
 * The page on which a media item is added (`item` is undefined) or corrected, with the fields of the form that was sent;
 * `picture`: its picture is here, and its address cannot be changed; `upload`: the form with the picture was sent.
 */
export function itemPage(
  context: Context,
  item: number | undefined,
  fields: Fields,
  more: More = {},
): string {
  const { caller, from } = context
  const { host } = from
  const { faults = {}, refused, other } = more
  const heading = item === undefined ? 'Add a picture or film' : 'Edit the media item'
  const isUpload = fields.upload !== undefined
  const main = html`${headingOf(host, heading)}
${refusalNotice(refused, firstOf(faults) !== undefined)}
${other ? otherSection(other) : undefined}
${item === undefined ? uploadSection(context, isUpload ? fields : {}, isUpload ? more : { refused: 'other' }) : undefined}
${addressSection(context, item, isUpload ? {} : fields, isUpload ? { refused: 'other' } : more)}`
  return page({ host, caller, title: heading, main, current: 'manage' })
}

const otherSection = ({ title, url, description }: NonNullable<More['other']>) => html`
${card(
  'other',
  'What it says now',
)`<dl class="facts"><dt>Title</dt><dd>${title}</dd><dt>Address</dt><dd>${url}</dd><dt>Description</dt><dd>${description}</dd></dl>
<p>If you send the form again, it replaces this.</p>`}`

const descriptionHint = 'What is to be seen, for those who do not see it.'

/** The fault of a picture with too many bytes. */
export const tooLarge = 'This picture has more than 10 MB.'

/** The texts come before the picture: the server knows them when it refuses that. */
function uploadSection({ caller, from: { host } }: Context, fields: Fields, { faults = {} }: More): Html {
  const first = firstOf(faults)
  return card(
    'upload',
    'Send a picture',
  )`<form method="post" enctype="multipart/form-data" action="${host}${managePath}/media/upload">
${hiddenFields({ form_token: caller.formToken, ...newFormId() })}
${field({ name: 'title', id: 'upload-title', label: 'Title', value: fields.title, fault: faults.title, hasFocus: first === 'title' })}
${field({ name: 'description', id: 'upload-description', label: 'Description', hint: descriptionHint, value: fields.description, isOptional: true })}
<div class="field"><label for="picture">Picture</label>
<p class="hint" id="picture-hint">PNG, JPEG, GIF or WebP, up to 10 MB.</p>
<input type="file" id="picture" name="picture" data-max-bytes="${pictureLimits.bytes}" data-too-large="${tooLarge}" accept="${pictureTypes}" required aria-describedby="picture-hint${faults.picture ? ' picture-fault' : ''}"${faults.picture ? html` aria-invalid="true" autofocus` : undefined}>
${faults.picture ? html`<p class="fault" id="picture-fault">${faults.picture}</p>` : undefined}</div>
<p class="actions"><button>Send the picture</button></p>
</form>`
}

function addressSection(
  { caller, from: { host } }: Context,
  item: number | undefined,
  { title, url, description, media_type, version, picture }: Fields,
  { faults = {}, refused }: More,
): Html {
  const first = firstOf(faults)
  const isStored = picture !== undefined && item !== undefined
  const hidden = { ...newFormId(), version, ...(isStored && { picture, url }) }
  const address = isStored ? webAddress(url ?? '') : undefined
  return html`<section class="card"${item === undefined ? html` aria-labelledby="linked"` : undefined}>
${item === undefined ? html`<h2 id="linked">Or link one by its address</h2>` : undefined}
${
  address === undefined
    ? undefined
    : html`<p><img src="${address}" alt="${description ?? ''}" class="own-picture"></p>
<p class="hint">In the text of a post: <code>![${description || title || ''}](${address})</code></p>`
}
${opening({ host, caller }, hidden, item === undefined ? '/media/new' : `/media/${item}`)}
${field({ name: 'title', label: 'Title', value: title, fault: faults.title, hasFocus: first === 'title' || (item !== undefined && refused === undefined) })}
${
  item === undefined
    ? choice({
        name: 'media_type',
        label: 'Kind',
        value: media_type ?? 'image',
        options: { image: 'Picture', video: 'Film' },
      })
    : undefined
}
${isStored ? undefined : field({ name: 'url', label: 'Address', type: 'url', hint: 'Where browsers find it, with https://', value: url, fault: faults.url, hasFocus: first === 'url' })}
${field({ name: 'description', label: 'Description', hint: descriptionHint, value: description, isOptional: true })}
<p class="actions"><button>${item === undefined ? 'Add to the site' : 'Save'}</button></p>
</form>
</section>`
}
