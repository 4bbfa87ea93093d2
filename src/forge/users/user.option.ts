import { EMAIL_MAX, email } from '../accounts/email-address.ts'
import { NAME_MAX, userName } from '../accounts/names.ts'
import { visibilityRule } from '../accounts/visibility.ts'
import { PASSWORD_MAX } from '../auth/password-rules.ts'
import {
  describedField,
  flag,
  integer,
  named,
  option,
  optionalFlag,
  optionalInteger,
  optionalMoment,
  optionalText,
  text,
  texts,
} from '../protocol/fields.ts'
import { maxSize, required, url } from '../protocol/rules.ts'
import { WITHOUT_EFFECT } from '../repos/repo.shape.ts'
import { HIDES_ACTIVITY } from './settings.shape.ts'

/** The maximum length of a login name in an external directory, in characters. */
const LOGIN_NAME_MAX = 255

/** The maximum length of a new name, in characters: what a file system allows for a directory. */
const RENAMED_MAX = 255

/**
 * CreateUserOption of the specification, without `admin` and `active`: a new account is active and without rights; an
 * edit changes that.
 */
export const CreateUserOption = option('CreateUserOption', {
  source_id: describedField(integer(), 'Only 0, which is this server: there are no other login sources'),
  login_name: describedField(
    text(maxSize(LOGIN_NAME_MAX)),
    'Name at the login source; it has no effect here',
  ),
  username: describedField(
    text(required, userName, maxSize(NAME_MAX)),
    'Name in addresses: letters, digits, `-`, `_` and `.`',
  ),
  full_name: text(maxSize(100)),
  email: text(required, email, maxSize(EMAIL_MAX)),
  password: describedField(
    text(maxSize(PASSWORD_MAX)),
    'Required; the settings of the server determine its minimum length and character classes',
  ),
  must_change_password: describedField(
    optionalFlag(),
    'Whether the user must change the password before anything else; `true` by default',
  ),
  send_notify: describedField(
    flag(),
    'Whether the server tells the user of the account by mail, if it sends mail',
  ),
  restricted: optionalFlag(),
  visibility: describedField(
    text(visibilityRule),
    'Who sees the account: everybody, everybody who is signed in (`limited`), or administrators and itself; empty: `public`',
  ),
  created_at: describedField(
    named('Created', optionalMoment()),
    'When the account was created, for accounts of another server; absent: now',
  ),
})

/** EditUserOption of the specification: absent members stay unchanged. */
export const EditUserOption = option('EditUserOption', {
  source_id: describedField(integer(), 'Only 0, which is this server: there are no other login sources'),
  login_name: describedField(
    optionalText(maxSize(LOGIN_NAME_MAX)),
    'Name at the login source; it has no effect here',
  ),
  email: describedField(optionalText(maxSize(EMAIL_MAX)), 'A new primary address; it may not be empty'),
  full_name: optionalText(maxSize(100)),
  password: describedField(text(maxSize(PASSWORD_MAX)), 'A new password; empty: unchanged'),
  must_change_password: optionalFlag(),
  website: optionalText(url, maxSize(255)),
  location: optionalText(maxSize(50)),
  description: optionalText(maxSize(255)),
  active: describedField(optionalFlag(), 'Whether the account may be used at all'),
  admin: describedField(
    optionalFlag(),
    'Whether the user is an administrator of the server; the last administrator cannot be demoted',
  ),
  allow_git_hook: describedField(optionalFlag(), 'Stored for clients; it has no effect'),
  allow_import_local: describedField(optionalFlag(), 'Stored for clients; it has no effect'),
  max_repo_creation: describedField(
    optionalInteger(-1),
    'Maximum number of repositories of the user; -1: the default of the server',
  ),
  prohibit_login: describedField(optionalFlag(), 'Whether the user may not sign in'),
  allow_create_organization: describedField(optionalFlag(), 'Whether the user may create organizations'),
  restricted: optionalFlag(),
  visibility: describedField(text(visibilityRule), 'Who sees the account; empty: unchanged'),
  type: describedField(text(), '`User` or `Bot`; empty: unchanged. A bot cannot sign in with a password'),
})

/** RenameUserOption of the specification. */
export const RenameUserOption = option('RenameUserOption', {
  new_username: named('NewName', text(required, maxSize(RENAMED_MAX))),
})

/** The request body that adds addresses. */
export const CreateEmailOption = option('CreateEmailOption', { emails: texts('Required') })

/** The request body that deletes addresses; an absent list is empty. */
export const DeleteEmailOption = option('DeleteEmailOption', { emails: texts() })

const textWithoutEffect = () => describedField(optionalText(maxSize(255)), WITHOUT_EFFECT)

/** UserSettingsOptions of the specification. */
export const UserSettingsOptions = option('UserSettingsOptions', {
  full_name: optionalText(maxSize(100)),
  website: optionalText(url, maxSize(255)),
  description: optionalText(maxSize(255)),
  location: optionalText(maxSize(50)),
  language: textWithoutEffect(),
  theme: textWithoutEffect(),
  diff_view_style: textWithoutEffect(),
  hide_email: describedField(optionalFlag(), 'Whether others see a placeholder instead of the address'),
  hide_activity: describedField(optionalFlag(), HIDES_ACTIVITY),
})
