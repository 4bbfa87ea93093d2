import { readFile } from 'node:fs/promises'
import { accountPictureUrl } from '../../forge/accounts/avatar.ts'
import { type SignedIn, signedInFully } from '../../forge/auth/access.ts'
import { userDeleteAvatar, userUpdateAvatar } from '../../forge/avatars/avatars.ts'
import { IMAGE_MAX } from '../../forge/avatars/keep-image.ts'
import { textAs } from '../../http/route/sends.ts'
import { askedForm, unknownAction } from '../form.ts'
import { bytesOf, html } from '../html.ts'
import { noticeOf } from '../operations/fields.ts'
import { type Asked, replyToForm } from '../operations/form.ts'
import { forPages, type OnRequest } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { type FileLimits, fileForm, formIn } from '../operations/sent-form.ts'
import { htmlType } from '../profile.ts'
import { route } from '../route.ts'
import { orSignIn } from '../session/session.ts'
import { settingsFrame } from './settings-page.ts'

const section = 'settings/picture'

const limits = (): FileLimits => ({ count: 1, maximum: IMAGE_MAX, requireType: () => {} })

export const getPictureSettings = route('GET /settings/picture', {
  access: orSignIn(forPages(signedInFully('user'))),
  summary: 'The picture of one’s account, to change it',
  returns: textAs(200, htmlType),
  handler: ({ caller }) => picturePage(caller),
})

export const changePicture = route('POST /settings/picture', {
  ...fileForm(signedInFully('user'), limits),
  summary: 'Set the picture of one’s account, or remove it',
  fails: [400, 503],
  handler: ({ caller: sender, body }) => {
    const { fields, files, refusal: refused } = formIn(body)
    const [file] = files
    return replyToForm(sender, fields, {
      ask: async () => {
        if (fields.action === 'delete') return { calls: [[userDeleteAvatar, {}]], leadsTo: section }
        if (fields.action !== 'set') throw unknownAction()
        if (refused) return refused
        return file ? askedWith(await readFile(file.content.path)) : { ...missing }
      },
      again: async (caller, refusal) => picturePage(caller, refusal),
    })
  },
})

const missing: Refusal = { field: 'files', sentence: 'Choose a picture.' }

/** The operation checks what the picture is, and keeps it without what tells where it was taken. */
const askedWith = (picture: Buffer): Asked => ({
  calls: [[userUpdateAvatar, { body: { image: picture.toString('base64') } }]],
  leadsTo: section,
  blame: 'files',
})

function picturePage(caller: SignedIn & OnRequest, refusal?: Refusal): string {
  const { from } = caller.request
  const { me } = caller
  const address = from.host + section
  const fault = refusal?.field === 'files' ? refusal.sentence : undefined
  const main = html`${noticeOf(undefined, refusal)}
<form class="card" method="post" enctype="multipart/form-data" action="${address}">
<p><img src="${accountPictureUrl(from.host, me)}" alt="Your picture" width="88" height="88"></p>
<input type="hidden" name="action" value="set">
<div class="field"><label for="files">A picture</label>
<p class="hint" id="files-hint">PNG, JPEG, GIF or WebP, of at most ${bytesOf(IMAGE_MAX)}</p>
<input type="file" id="files" name="files" required accept="image/png,image/jpeg,image/gif,image/webp" aria-describedby="files-hint${fault === undefined ? '' : ' files-fault'}"${fault === undefined ? undefined : html` aria-invalid="true" autofocus`}>
${fault === undefined ? undefined : html`<p class="fault" id="files-fault">${fault}</p>`}</div>
<button>Save the picture</button>
</form>
${
  me.avatar === null
    ? undefined
    : askedForm({
        address,
        text: 'Remove the picture',
        question: 'The server draws one in its place.',
        answer: 'Remove it',
        fields: { action: 'delete' },
      })
}`
  return settingsFrame({ caller, from }, section, main)
}
