import type * as v from 'valibot'
import type { AccountDraft, AccountEdit } from '../accounts/account-store.ts'
import { withoutUndefined } from '../accounts/edits.ts'
import { NAME_MAX, userName } from '../accounts/names.ts'
import { isVisibility, visibilityRule } from '../accounts/visibility.ts'
import { describedField, named, option, optionalFlag, optionalText, text } from '../protocol/fields.ts'
import { maxSize, required, url } from '../protocol/rules.ts'

/** CreateOrgOption of the specification. */
export const CreateOrgOption = option('CreateOrgOption', {
  username: describedField(
    named('UserName', text(required, userName, maxSize(NAME_MAX))),
    'Name in addresses: letters, digits, `-`, `_` and `.`',
  ),
  full_name: text(maxSize(100)),
  email: describedField(text(maxSize(255)), 'An address to write to; empty: none'),
  description: text(maxSize(255)),
  website: text(url, maxSize(255)),
  location: text(maxSize(50)),
  visibility: describedField(
    text(visibilityRule),
    'Who sees it: everybody, everybody who is signed in (`limited`), or members; empty: `public`',
  ),
  repo_admin_change_team_access: describedField(
    optionalFlag(),
    'Whether administrators of a repository may give teams access to it; `false` by default',
  ),
})
type CreateOrgOption = v.InferOutput<typeof CreateOrgOption>

/** EditOrgOption of the specification; absent members stay unchanged. */
export const EditOrgOption = option('EditOrgOption', {
  full_name: optionalText(maxSize(100)),
  email: describedField(optionalText(maxSize(255)), 'An address to write to; empty: none'),
  description: optionalText(maxSize(255)),
  website: optionalText(url, maxSize(255)),
  location: optionalText(maxSize(50)),
  visibility: describedField(optionalText(visibilityRule), 'Who sees it; empty: unchanged'),
  repo_admin_change_team_access: optionalFlag(),
})
type EditOrgOption = v.InferOutput<typeof EditOrgOption>

/** RenameOrgOption. A new name may exceed the 40 characters of a creation, but not the length that can be looked up. */
export const RenameOrgOption = option('RenameOrgOption', { new_name: text(required, maxSize(255)) })

/** The columns of a new organization; `visibility: ""` means public, whatever the site's default for users is. */
export function orgDraft({ username, visibility, ...rest }: CreateOrgOption): Omit<AccountDraft, 'kind'> {
  const { repo_admin_change_team_access = false, ...texts } = rest
  const seen = isVisibility(visibility) ? visibility : 'public'
  return { ...texts, name: username, visibility: seen, repo_admin_change_team_access }
}

/** The columns that an edit changes; `visibility: ""` changes nothing. */
export function editOf({ visibility, ...rest }: EditOrgOption): AccountEdit {
  const isChanged = visibility !== undefined && isVisibility(visibility)
  return withoutUndefined(isChanged ? { ...rest, visibility } : rest)
}
