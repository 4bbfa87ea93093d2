import { NAME_MAX, userName } from '../accounts/names.ts'
import { visibilityRule } from '../accounts/visibility.ts'
import { PASSWORD_MAX } from '../auth/password-rules.ts'
import {
  flag,
  integer,
  named,
  option,
  optionalFlag,
  optionalInteger,
  optionalMoment,
  optionalText,
  text,
} from '../protocol/fields.ts'
import { maxSize, required, url } from '../protocol/rules.ts'
import { EMAIL_MAX, email } from './email-address.ts'

/** The maximum length of a login name in an external directory, in characters. */
const LOGIN_NAME_MAX = 255

/** The maximum length of a new name, in characters: what a file system allows for a directory. */
const RENAMED_MAX = 255

/**
 * CreateUserOption of the specification, without `admin` and `active`: a new account is active and without rights; an
 * edit changes that.
 */
export const CreateUserOption = option('CreateUserOption', {
  source_id: integer(),
  login_name: text(maxSize(LOGIN_NAME_MAX)),
  username: text(required, userName, maxSize(NAME_MAX)),
  full_name: text(maxSize(100)),
  email: text(required, email, maxSize(EMAIL_MAX)),
  password: text(maxSize(PASSWORD_MAX)),
  must_change_password: optionalFlag(),
  /** Accepted for compatibility and ignored: this server sends no mail. */
  send_notify: flag(),
  restricted: optionalFlag(),
  visibility: text(visibilityRule),
  created_at: named('Created', optionalMoment()),
})

/** EditUserOption of the specification: absent members stay unchanged. */
export const EditUserOption = option('EditUserOption', {
  source_id: integer(),
  login_name: optionalText(maxSize(LOGIN_NAME_MAX)),
  email: optionalText(maxSize(EMAIL_MAX)),
  full_name: optionalText(maxSize(100)),
  password: text(maxSize(PASSWORD_MAX)),
  must_change_password: optionalFlag(),
  website: optionalText(url, maxSize(255)),
  location: optionalText(maxSize(50)),
  description: optionalText(maxSize(255)),
  active: optionalFlag(),
  admin: optionalFlag(),
  allow_git_hook: optionalFlag(),
  allow_import_local: optionalFlag(),
  max_repo_creation: optionalInteger(),
  prohibit_login: optionalFlag(),
  allow_create_organization: optionalFlag(),
  restricted: optionalFlag(),
  visibility: text(visibilityRule),
  type: text(),
})

/** RenameUserOption of the specification. */
export const RenameUserOption = option('RenameUserOption', {
  new_username: named('NewName', text(required, maxSize(RENAMED_MAX))),
})
