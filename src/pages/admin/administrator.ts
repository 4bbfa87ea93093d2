import {
  type ForgeAccess,
  type SignedIn,
  type SignedInOnSubject,
  siteAdmin,
  siteAdminOn,
} from '../../forge/auth/access.ts'
import type { Access } from '../../http/route/route.ts'
import { forPages, type OnRequest } from '../operations/perform.ts'
import type { PageTools } from '../route.ts'
import { orSignIn } from '../session/session.ts'

/** An administrator who asks for a page. */
export type Administrator = SignedIn & OnRequest

/** The same, with the account that the path names. */
export type AdministratorOn = SignedInOnSubject & OnRequest

/** The address of a path of the administration. */
export const adminAddress = ({ request }: OnRequest, path: string): string =>
  `${request.from.host}-/admin/${path}`

/** Site administrators; who is not signed in is sent to the sign-in page. */
export const administrator: Access<Administrator, PageTools> = named('administrator', siteAdmin())

/** The same, on the account `{username}`. */
export const administratorOn: Access<AdministratorOn, PageTools> = named('administratorOn', siteAdminOn())

function named<Who extends SignedIn>(
  name: string,
  rule: ForgeAccess<Who>,
): Access<Who & OnRequest, PageTools> {
  return orSignIn({ ...forPages(rule), name })
}
