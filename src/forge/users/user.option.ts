import { NAME_MAX, userName } from '../accounts/names.ts'
import { visibilityRule } from '../accounts/visibility.ts'
import { PASSWORD_MAX } from '../auth/password-rules.ts'
import {
  aFlag,
  anInteger,
  named,
  option,
  someFlag,
  someInteger,
  someMoment,
  someText,
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
export const CreateUserOption = option({
  source_id: anInteger(),
  login_name: text(maxSize(LOGIN_NAME_MAX)),
  username: text(required, userName, maxSize(NAME_MAX)),
  full_name: text(maxSize(100)),
  email: text(required, email, maxSize(EMAIL_MAX)),
  password: text(maxSize(PASSWORD_MAX)),
  must_change_password: someFlag(),
  /** Accepted for compatibility and ignored: this server sends no mail. */
  send_notify: aFlag(),
  restricted: someFlag(),
  visibility: text(visibilityRule),
  created_at: named('Created', someMoment()),
})

/** EditUserOption of the specification: absent members stay unchanged. */
export const EditUserOption = option({
  source_id: anInteger(),
  login_name: someText(maxSize(LOGIN_NAME_MAX)),
  email: someText(maxSize(EMAIL_MAX)),
  full_name: someText(maxSize(100)),
  password: text(maxSize(PASSWORD_MAX)),
  must_change_password: someFlag(),
  website: someText(url, maxSize(255)),
  location: someText(maxSize(50)),
  description: someText(maxSize(255)),
  active: someFlag(),
  admin: someFlag(),
  allow_git_hook: someFlag(),
  allow_import_local: someFlag(),
  max_repo_creation: someInteger(),
  prohibit_login: someFlag(),
  allow_create_organization: someFlag(),
  restricted: someFlag(),
  visibility: text(visibilityRule),
  type: text(),
})

/** RenameUserOption of the specification. */
export const RenameUserOption = option({
  new_username: named('NewName', text(required, maxSize(RENAMED_MAX))),
})
