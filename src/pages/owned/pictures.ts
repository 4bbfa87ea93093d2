import { readFile } from 'node:fs/promises'
import { accountPictureUrl, sentAvatarUrl } from '../../forge/accounts/avatar.ts'
import type { SignedIn, SignedInOnSubject } from '../../forge/auth/access.ts'
import {
  orgDeleteAvatar,
  orgUpdateAvatar,
  repoDeleteAvatar,
  repoUpdateAvatar,
  userDeleteAvatar,
  userUpdateAvatar,
} from '../../forge/avatars/avatars.ts'
import { IMAGE_MAX } from '../../forge/avatars/keep-image.ts'
import type { SignedInOnRepository } from '../../forge/repos/access.ts'
import { repositoryById } from '../../forge/repos/repo-store.ts'
import type { ForgeTools } from '../../forge/route.ts'
import { found } from '../../http/route/problem.ts'
import type { Route } from '../../http/route/route.ts'
import { textAs } from '../../http/route/sends.ts'
import { askedForm, filesField, pictureTypes, unknownAction } from '../form.ts'
import { bytesOf, html } from '../html.ts'
import { noticeOf } from '../operations/fields.ts'
import { type Asked, replyToForm } from '../operations/form.ts'
import { forPages, type OnRequest } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { type FileLimits, fileForm, formIn } from '../operations/sent-form.ts'
import { htmlType } from '../profile.ts'
import { route } from '../route.ts'
import { orSignIn } from '../session/session.ts'
import type { Sender } from '../sign-in/sender.ts'
import { type Owner, sectionAddress } from './owner.ts'
import { administeredRepository, oneself, ownedOrganization } from './owners.ts'

/** Pages with the picture of a person, an organization or a repository. */

const section = 'picture'

/** The operations that change a picture, and the picture that is there. */
interface Picture<Who> {
  set: Route<ForgeTools>
  remove: Route<ForgeTools>
  /** The address of the picture, "" if there is none, and whether somebody has set it. */
  shown: (who: Who & OnRequest) => Promise<{ address: string; isSet: boolean }>
  /** What is shown without one. */
  without: string
}

const limits = (): FileLimits => ({ count: 1, maximum: IMAGE_MAX, requireType: () => {} })

const pageOf = <Who extends SignedIn>(owner: Owner<Who>, picture: Picture<Who>) => ({
  access: orSignIn(forPages(owner.rule)),
  returns: textAs(200, htmlType),
  handler: ({ caller }: { caller: Who & OnRequest }) => picturePage(owner, picture, caller),
})

const formOf = <Who extends SignedIn>(owner: Owner<Who>, picture: Picture<Who>) => ({
  ...fileForm(owner.rule, limits),
  fails: [400, 404, 503],
  handler: ({ caller: sender, body }: { caller: Sender<Who & OnRequest>; body: SentForm }) => {
    const { fields, files, refusal: refused } = formIn(body)
    const [file] = files
    return replyToForm(sender, fields, {
      ask: async (who) => {
        const place = { params: owner.params(who), leadsTo: `${owner.path(who)}/${section}` }
        if (fields.action === 'delete') return askedWith(picture.remove, place)
        if (fields.action !== 'set') throw unknownAction()
        if (refused) return refused
        return file ? askedWith(picture.set, place, await readFile(file.content.path)) : { ...missing }
      },
      again: (who, refusal) => picturePage(owner, picture, who, refusal),
    })
  },
})

type SentForm = Parameters<typeof formIn>[0]

const missing: Refusal = { field: 'files', sentence: 'Choose a picture.' }

/** The operation checks what the picture is, and keeps it without what tells where it was taken. */
const askedWith = (
  operation: Route<ForgeTools>,
  { params, leadsTo }: { params: Readonly<Record<string, string>>; leadsTo: string },
  image?: Buffer,
): Asked => ({
  calls: [[operation, { params, ...(image && { body: { image: image.toString('base64') } }) }]],
  leadsTo,
  blame: 'files',
})

async function picturePage<Who extends SignedIn>(
  owner: Owner<Who>,
  picture: Picture<Who>,
  who: Who & OnRequest,
  refusal?: Refusal,
): Promise<string> {
  const address = sectionAddress(owner, who, section)
  const shown = await picture.shown(who)
  const fault = refusal?.field === 'files' ? refusal.sentence : undefined
  const main = html`${noticeOf(undefined, refusal)}
<form class="card" method="post" enctype="multipart/form-data" action="${address}">
${shown.address === '' ? html`<p class="empty">No picture of its own.</p>` : html`<p><img src="${shown.address}" alt="The present picture" width="88" height="88"></p>`}
<input type="hidden" name="action" value="set">
${filesField({ label: 'A picture', hint: `PNG, JPEG, GIF or WebP, of at most ${bytesOf(IMAGE_MAX)}`, accept: pictureTypes, fault, isRequired: true, isOne: true })}
<button>Save the picture</button>
</form>
${
  shown.isSet
    ? askedForm({
        address,
        text: 'Remove the picture',
        question: picture.without,
        answer: 'Remove it',
        fields: { action: 'delete' },
      })
    : undefined
}`
  return owner.page(who, { section, title: 'Picture', main })
}

const drawn = 'The server draws one in its place.'

const own: Picture<SignedIn> = {
  set: userUpdateAvatar,
  remove: userDeleteAvatar,
  shown: async ({ me, request }) => ({
    address: accountPictureUrl(request.from.host, me),
    isSet: me.avatar !== null,
  }),
  without: drawn,
}

export const getPictureSettings = route('GET /settings/picture', {
  ...pageOf(oneself, own),
  summary: 'The picture of one’s account, to change it',
})

export const changePicture = route('POST /settings/picture', {
  ...formOf(oneself, own),
  summary: 'Set the picture of one’s account, or remove it',
})

const ofOrganization: Picture<SignedInOnSubject> = {
  set: orgUpdateAvatar,
  remove: orgDeleteAvatar,
  shown: async ({ subject, request }) => ({
    address: accountPictureUrl(request.from.host, subject),
    isSet: subject.avatar !== null,
  }),
  without: drawn,
}

export const getOrganizationPicture = route('GET /org/{org}/settings/picture', {
  ...pageOf(ownedOrganization, ofOrganization),
  summary: 'The picture of an organization, to change it',
})

export const changeOrganizationPicture = route('POST /org/{org}/settings/picture', {
  ...formOf(ownedOrganization, ofOrganization),
  summary: 'Set the picture of an organization, or remove it',
})

const ofRepository: Picture<SignedInOnRepository> = {
  set: repoUpdateAvatar,
  remove: repoDeleteAvatar,
  shown: async ({ repo, request }) => {
    const { avatar } = found(await repositoryById(request.sql, repo.id))
    return {
      address: avatar === null ? '' : sentAvatarUrl(request.from.host, avatar),
      isSet: avatar !== null,
    }
  },
  without: 'The repository has none then.',
}

export const getRepositoryPicture = route('GET /{owner}/{repo}/settings/picture', {
  ...pageOf(administeredRepository, ofRepository),
  summary: 'The picture of a repository, to change it',
  fails: [404],
})

export const changeRepositoryPicture = route('POST /{owner}/{repo}/settings/picture', {
  ...formOf(administeredRepository, ofRepository),
  summary: 'Set the picture of a repository, or remove it',
})
