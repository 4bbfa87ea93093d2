import type { Attachment } from '../../forge/attachments/attachment.shape.ts'
import { bytesOf } from '../code/folder.ts'
import { counted, type Html, html } from '../html.ts'
import { listOf } from '../layout.ts'

/** The files of something, with links to them; nothing if there are none. `heading`: the level of the heading. */
export const fileList = (assets: readonly Attachment[], heading: 'h3' | 'h4'): Html | undefined =>
  assets.length === 0
    ? undefined
    : html`${heading === 'h3' ? html`<h3>Files</h3>` : html`<h4>Files</h4>`}
${listOf(assets.map(fileEntry), '')}`

const fileEntry = ({ browser_download_url, name, size, download_count }: Attachment) => html`
<li><div class="row"><a href="${browser_download_url}">${name}</a>
<span class="meta">${bytesOf(size)} · ${counted(download_count, 'download')}</span></div></li>`
