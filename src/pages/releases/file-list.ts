import type { Attachment } from '../../forge/attachments/attachment.shape.ts'
import { bytesOf, counted, type Html, html } from '../html.ts'
import { listOf } from '../layout.ts'

/**
 * The files of something, with links to them; nothing if there are none. They have no heading: it would follow those of
 * a text, which are of any level.
 */
export const fileList = (assets: readonly Attachment[]): Html | undefined =>
  assets.length === 0
    ? undefined
    : html`<p class="files-name">Files</p>
${listOf(assets.map(fileEntry), '')}`

/** Whether browsers show a file of this name as a picture. */
export const isPicture = (name: string) => /\.(?:avif|gif|jpe?g|png|svg|webp)$/i.test(name)

/** The pictures among the files of a text, without those that it shows itself. */
export const pictureList = (assets: readonly Attachment[], text: string): Html | undefined => {
  const pictures = assets.filter(({ name, uuid }) => isPicture(name) && !text.includes(uuid))
  return pictures.length === 0
    ? undefined
    : html`<p class="pictures">${pictures.map(
        ({ name, browser_download_url }) =>
          html`<a href="${browser_download_url}"><img src="${browser_download_url}" alt="${name}" loading="lazy"></a> `,
      )}</p>`
}

const fileEntry = ({ browser_download_url, name, size, download_count }: Attachment) => html`
<li><div class="row"><a href="${browser_download_url}">${name}</a>
<span class="meta">${bytesOf(size)} · ${counted(download_count, 'download')}</span></div></li>`
